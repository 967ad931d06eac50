/// Directory indexes as servers write them, shortened.
enum IndexPages {
    static let nginx = """
        <html>\r
        <head><title>Index of /x/</title></head>\r
        <body>\r
        <h1>Index of /x/</h1><hr><pre><a href="../">../</a>
        <a href="sub%20dir/">sub dir/</a>                                           29-Feb-2024 12:34                   -
        <a href="%23h%25q%3F.txt">#h%q?.txt</a>                                          29-Feb-2024 12:34                   1
        <a href="%E7%94%B5%E5%BD%B1.mkv">电影.mkv</a>                                            01-Jan-1999 00:00          5000000000
        <a href="long-name-that-is-cut-by-the-server-in-the-text-shown-only.bin">\
        long-name-that-is-cut-by-the-server-in-the-text..&gt;</a> 29-Feb-2024 12:34 4M
        </pre><hr></body>\r
        </html>
        """

    static let nginxEmpty = """
        <html>
        <head><title>Index of /x/</title></head>
        <body>
        <h1>Index of /x/</h1><hr><pre><a href="../">../</a>
        </pre><hr></body>
        </html>
        """

    static let apacheFancy = """
        <!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
        <html><head><title>Index of /x</title></head><body><h1>Index of /x</h1>
        <pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a>                    <a href="?C=M;O=A">Last modified</a>      \
        <a href="?C=S;O=A">Size</a>  <a href="?C=D;O=A">Description</a><hr>\
        <img src="/icons/back.gif" alt="[PARENTDIR]"> <a href="/">Parent Directory</a>\
                                     -   \n\
        <img src="/icons/unknown.gif" alt="[   ]"> <a href="a%20b.mkv">a b.mkv</a>                 2024-02-29 12:34  1.2K  
        <img src="/icons/folder.gif" alt="[DIR]"> <a href="sub/">sub/</a>                    2024-02-29 12:34    -   
        <img src="/icons/text.gif" alt="[TXT]"> <a href="small.txt">small.txt</a>               29-Feb-2024 12:34  123   
        <hr></pre>
        <address>Apache/2.4 Server at 127.0.0.1 Port 80</address>
        </body></html>
        """

    static let apacheTable = """
        <html><head><title>Index of /x</title></head><body><h1>Index of /x</h1>
          <table><tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th><th><a href="?C=N;O=D">Name</a></th></tr>
        <tr><td valign="top"><img src="/icons/back.gif"></td><td><a href="/">Parent Directory</a></td><td>&nbsp;</td></tr>
        <tr><td valign="top"><a href="a%20b.mkv"><img src="/icons/movie.gif" alt="[VID]"></a></td><td><a href="a%20b.mkv">a b.mkv</a></td>\
        <td align="right">2024-02-29 12:34  </td><td align="right">1.2G</td></tr>
        <tr><td><img src="/icons/folder.gif"></td><td><a href="sub/">sub/</a></td></tr></table></body></html>
        """

    static let apacheList = """
        <html><head><title>Index of /x</title></head><body><h1>Index of /x</h1>
        <ul><li><a href="/"> Parent Directory</a></li>
        <li><a href="a%20b.mkv"> a b.mkv</a></li>
        <li><a href="sub/"> sub/</a></li></ul></body></html>
        """

    static let lighttpd = """
        <!DOCTYPE html><html><head><title>Index of /x/</title><style>a {color: blue;}</style></head><body><h2>Index of /x/</h2><div class="list">
        <table summary="Directory Listing"><thead><tr><th class="n">Name</th><th class="m">Last Modified</th></tr></thead><tbody>
        <tr class="d"><td class="n"><a href="../">..</a>/</td><td class="m">&nbsp;</td><td class="s">- &nbsp;</td><td class="t">Directory</td></tr>
        <tr class="d"><td class="n"><a href="sub/">sub</a>/</td><td class="m">2024-Feb-29 12:34:56</td><td class="s">- &nbsp;</td></tr>
        <tr><td class="n"><a href="a%20b.mkv">a b.mkv</a></td><td class="m">2024-Feb-29 12:34:56</td><td class="s">2.8M</td></tr>
        </tbody></table></div><div class="foot">lighttpd/1.4.69</div><script>var a = '<a href="no.js">';</script></body></html>
        """

    static let caddy = """
        <!DOCTYPE html><html><head><title>/x/</title></head><body><header><h1><a href="/">/</a><a href="/x/">x</a>/</h1></header><main>
        <table aria-describedby="summary"><thead><tr><th></th><th><a href="?sort=name&order=desc">Name</a></th></tr></thead><tbody>
        <tr class="clickable"><td></td><td><a href=".."><span class="goup">Up</span></a></td></tr>
        <tr class="file"><td></td><td><a href="./sub/"><svg></svg><span class="name">sub</span></a></td><td>&mdash;</td>\
        <td class="timestamp hideable"><time datetime="2024-02-29T12:34:56Z">02/29/2024</time></td></tr>
        <tr class="file"><td></td><td><a href="./a%20b.mkv"><span class="name">a b.mkv</span></a></td>\
        <td class="size" data-size="1234567"><div class="sizebar"><div class="sizebar-text">1.2 MiB</div></div></td>\
        <td class="timestamp hideable"><time datetime="2024-02-29T12:34:56Z">02/29/2024 12:34:56 PM +00:00</time></td></tr>
        </tbody></table></main></body></html>
        """

    static let iis = """
        <html><head><title>host - /x/</title></head><body><H1>host - /x/</H1><hr>

        <pre><A HREF="/">[To Parent Directory]</A><br><br> 2/29/2024 12:34 PM        &lt;dir&gt; <A HREF="/x/sub/">sub</A><br>\
         2/29/2024 12:34 PM      1234567 <A HREF="/x/a%20b.mkv">a b.mkv</A><br></pre><hr></body></html>
        """

    static let python = """
        <!DOCTYPE HTML>
        <html lang="en"><head><meta charset="utf-8"><title>Directory listing for /x/</title></head><body>
        <h1>Directory listing for /x/</h1><hr><ul>
        <li><a href="a%20b.mkv">a b.mkv</a></li>
        <li><a href="sub/">sub/</a></li>
        </ul><hr></body></html>
        """

    static let login = """
        <html><body><h1>Sign in</h1><form method="post"><input name="user"><input type="PASSWORD" name="p"><a href="help">Help</a></form>\
        </body></html>
        """
}
