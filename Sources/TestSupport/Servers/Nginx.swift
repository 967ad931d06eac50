/// nginx with the dav-ext module: PROPFIND and an autoindex, HTML or JSON, on the same paths.
package enum Nginx {
    package static var missing: String? {
        guard TestTools.has("nginx") else { return "nginx is not installed" }
        return FileTree.exists(davModule) ? nil : "nginx's dav-ext module is not installed"
    }

    private static let davModule = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so"

    package static func start(_ root: String, _ options: ServerOptions = ServerOptions()) async throws -> RealServer {
        let work = try TemporaryDirectory("nginx")
        var access = ""
        if case .none = options.login {} else {
            access = "auth_basic \"test\"; auth_basic_user_file \"\(try await PasswordFiles.makeBasic(options, in: work))\";"
        }
        var tls = ""
        if let made = options.tls {
            tls = "ssl_certificate \"\(made.certificate)\"; ssl_certificate_key \"\(made.key)\";"
            if options.wantsClientCertificate { tls += " ssl_client_certificate \"\(made.authority)\"; ssl_verify_client on;" }
        }
        let (accessText, tlsText) = (access, tls)
        let process = try await ServerProcess.start("nginx") { port in
            let configuration = """
                load_module \(davModule);
                daemon off;
                master_process off;
                pid \(work.path)/pid;
                error_log stderr warn;
                events { worker_connections 512; }
                http {
                    types { text/html html; text/plain txt; video/mp4 mp4; video/x-matroska mkv; }
                    default_type application/octet-stream;
                    log_format plain '$request_method $request_uri $status $body_bytes_sent "$http_range"';
                    access_log \(work.path)/access.log plain;
                    client_body_temp_path \(work.path)/body;
                    proxy_temp_path \(work.path)/proxy;
                    fastcgi_temp_path \(work.path)/fastcgi;
                    uwsgi_temp_path \(work.path)/uwsgi;
                    scgi_temp_path \(work.path)/scgi;
                    sendfile on;
                    keepalive_requests 100000;
                    server {
                        listen 127.0.0.1:\(port)\(options.tls == nil ? "" : " ssl http2");
                        \(tlsText)
                        location / {
                            root "\(root)";
                            charset utf-8;
                            autoindex on;
                            autoindex_format \(options.index == .json ? "json" : "html");
                            dav_ext_methods PROPFIND OPTIONS;
                            \(accessText)
                        }
                    }
                }
                """
            return ["nginx", "-p", work.path, "-e", "stderr", "-c", try work.file("nginx.conf", configuration)]
        }
        return RealServer("nginx", process, work, isSecure: options.tls != nil)
    }
}
