internal import SourceAPI

final class Node: Sendable {}
