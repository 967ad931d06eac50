# bash completion for reelfs; made by: reelfs _generate
_reelfs() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= inner= word index
    for ((index = 1; index < COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        case $word in
            --cache-dir|--config-dir|--log-level) ((index++)) ;;
            -*) ;;
            *) if [[ -z $command ]]; then command=$word; elif [[ -z $inner ]]; then inner=$word; fi ;;
        esac
    done
    COMPREPLY=()
    case $previous in
        --cache-dir) _reelfs_files -d; return ;;
        --config-dir) _reelfs_files -d; return ;;
        --log-level) _reelfs_words 'debug info notice warning error'; return ;;
        --name) :; return ;;
        --type) _reelfs_words 'webdav http list'; return ;;
        --user) :; return ;;
        --password-file) _reelfs_files -f; return ;;
        --password-command) :; return ;;
        --bearer-file) _reelfs_files -f; return ;;
        --header-file) _reelfs_files -f; return ;;
        --ca-cert) _reelfs_files -f; return ;;
        --client-cert) _reelfs_files -f; return ;;
        --client-key) _reelfs_files -f; return ;;
        --proxy) :; return ;;
        --cache-key) :; return ;;
        --rewrite) :; return ;;
        --accept-type) :; return ;;
        --listing-seconds) :; return ;;
        --connections) :; return ;;
        --url) :; return ;;
        --clear) _reelfs_words 'type user password password-command bearer headers netrc ca-cert client-cert client-key proxy cache-key rewrite accept-type allow-private allow-insecure-redirect listing-seconds connections'; return ;;
        --option) :; return ;;
        --cache-size) :; return ;;
        --min-free) :; return ;;
        --to) _reelfs_files -d; return ;;
        --tree) _reelfs_files -d; return ;;
        --port) :; return ;;
        --mount) _reelfs_files -d; return ;;
    esac
    case $command in
        '') _reelfs_words 'add list set remove refresh mount unmount status cache get remux probe subtitles doctor selftest demo daemon help --cache-dir --config-dir --log-level --verbose --quiet --help --version' ;;
        add)
            if [[ $current == -* ]]; then _reelfs_words '--name --type --user --password-file --password-command --bearer-file --header-file --netrc --ca-cert --client-cert --client-key --proxy --cache-key --rewrite --accept-type --allow-private --allow-insecure-redirect --listing-seconds --connections --cache-dir --config-dir --log-level --verbose --quiet --help'; else :; fi ;;
        list)
            if [[ $current == -* ]]; then _reelfs_words '--json --names --cache-dir --config-dir --log-level --verbose --quiet --help'; else :; fi ;;
        set)
            if [[ $current == -* ]]; then _reelfs_words '--url --password --clear --type --user --password-file --password-command --bearer-file --header-file --netrc --ca-cert --client-cert --client-key --proxy --cache-key --rewrite --accept-type --allow-private --allow-insecure-redirect --listing-seconds --connections --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_sources; fi ;;
        remove)
            if [[ $current == -* ]]; then _reelfs_words '--purge --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_sources; fi ;;
        refresh)
            if [[ $current == -* ]]; then _reelfs_words '--cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
        mount)
            if [[ $current == -* ]]; then _reelfs_words '--foreground --option --cache-size --min-free --type --user --password-file --password-command --bearer-file --header-file --netrc --ca-cert --client-cert --client-key --proxy --cache-key --rewrite --accept-type --allow-private --allow-insecure-redirect --listing-seconds --connections --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -d; fi ;;
        unmount)
            if [[ $current == -* ]]; then _reelfs_words '--all --lazy --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -d; fi ;;
        status)
            if [[ $current == -* ]]; then _reelfs_words '--json --watch --cache-dir --config-dir --log-level --verbose --quiet --help'; else :; fi ;;
        cache)
            case $inner in
                list) if [[ $current == -* ]]; then _reelfs_words '--json --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
                show) if [[ $current == -* ]]; then _reelfs_words '--json --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
                verify) if [[ $current == -* ]]; then _reelfs_words '--json --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
                drop) if [[ $current == -* ]]; then _reelfs_words '--cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
                clear) if [[ $current == -* ]]; then _reelfs_words '--cache-dir --config-dir --log-level --verbose --quiet --help'; else :; fi ;;
                limit) if [[ $current == -* ]]; then _reelfs_words '--min-free --json --cache-dir --config-dir --log-level --verbose --quiet --help'; else :; fi ;;
                export) if [[ $current == -* ]]; then _reelfs_words '--to --json --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
                *) _reelfs_words 'list show verify drop clear limit export' ;;
            esac ;;
        get)
            if [[ $current == -* ]]; then _reelfs_words '--to --json --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
        remux)
            if [[ $current == -* ]]; then _reelfs_words '--fragmented --faststart --no-subtitles --srt --force --json --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
        probe)
            if [[ $current == -* ]]; then _reelfs_words '--full --json --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
        subtitles)
            if [[ $current == -* ]]; then _reelfs_words '--to --force --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -f; fi ;;
        doctor)
            if [[ $current == -* ]]; then _reelfs_words '--json --offline --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_sources; fi ;;
        selftest)
            if [[ $current == -* ]]; then _reelfs_words '--json --type --user --password-file --password-command --bearer-file --header-file --netrc --ca-cert --client-cert --client-key --proxy --accept-type --allow-private --allow-insecure-redirect --connections --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_sources; fi ;;
        demo)
            if [[ $current == -* ]]; then _reelfs_words '--tree --port --serve-only --cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_files -d; fi ;;
        daemon)
            if [[ $current == -* ]]; then _reelfs_words '--systemd --mount --option --cache-size --min-free --cache-dir --config-dir --log-level --verbose --quiet --help'; else :; fi ;;
        help)
            if [[ $current == -* ]]; then _reelfs_words '--cache-dir --config-dir --log-level --verbose --quiet --help'; else _reelfs_words 'add list set remove refresh mount unmount status cache get remux probe subtitles doctor selftest demo daemon help'; fi ;;
    esac
}
_reelfs_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}"); }
_reelfs_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen "$1" -- "${COMP_WORDS[COMP_CWORD]}"); }
_reelfs_sources() {
    local name
    while IFS= read -r name; do
        [[ $name == "${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$(printf %q "$name")")
    done < <(reelfs list --names 2>/dev/null)
}
complete -F _reelfs reelfs
