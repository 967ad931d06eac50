internal import ChunkStore
internal import ControlProtocol
internal import FuseAdapter
internal import SourceAPI
internal import VirtualTree

extension ControlError {
    init(_ error: MountError) { self.init(error.code == .busy ? .busy : .mountFailed, error.detail, advice: error.advice) }

    init(_ error: CacheError) {
        if case .locked = error.code {
            self.init(.busy, error.detail, advice: error.advice)
        } else {
            self.init(.cacheFailed, error.detail, advice: error.advice)
        }
    }

    init(_ error: TreeError) {
        let code: Code =
            switch error.code {
            case .notFound: .notFound
            case .source(.notFound): .notFound
            case .source: .sourceFailed
            default: .invalid
            }
        self.init(code, error.detail, advice: error.advice)
    }
}
