package final class SourceShelf: Sendable { package let name: String; init(name: String) { self.name = name } }
