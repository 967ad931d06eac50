/// The times of pictures, counted on where none are stated.
struct PictureTimes: Hashable, Sendable {
    /// 90 kHz from one picture to the next; 25 pictures a second as long as nothing is known.
    var step: Int64 = 3600
    private var last: Int64?
    /// PTS minus DTS of the last picture that others refer to. Pictures that none refers to are shown when decoded.
    private var delay: Int64 = 0

    /// `nil` as long as no time was stated.
    mutating func next(_ mark: PESMark?, isReference: Bool) -> (pts: Int64, dts: Int64, isDerived: Bool)? {
        if let pts = mark?.pts {
            let dts = mark?.dts ?? pts
            if isReference { delay = pts - dts }
            last = dts
            return (pts, dts, false)
        }
        guard let last else { return nil }
        let dts = last + step
        self.last = dts
        return (dts + (isReference ? delay : 0), dts, true)
    }
}
