internal import Bytes
internal import Matroska

extension FilmDetails {
    init(_ head: MatroskaHead) {
        self.init()
        container = head.ebml.docType == "webm" ? "WebM" : "Matroska"
        title = head.info.title.flatMap { $0.isEmpty ? nil : $0 }
        created = head.info.creationTime?.seconds
        duration = head.info.durationNanoseconds.flatMap { $0 > 0 ? $0 : nil }
        attachments = head.attachments.count
        cover = Self.cover(head.attachments)
        index = Self.index(head)
        take(head.editions)
    }

    /// The file name says which attachment is the cover (Matroska, "Cover Art"): `cover` in portrait before `cover_land` and the
    /// small ones.
    private static func cover(_ attachments: [Attachment]) -> FilmCover? {
        for wanted in ["cover", "cover_land", "small_cover", "small_cover_land"] {
            for attachment in attachments where attachment.data.count > 0 && attachment.data.count <= 16 << 20 {
                let name = attachment.name.lowercased()
                if name == wanted + ".jpg" || name == wanted + ".jpeg" || name == wanted && attachment.mediaType == "image/jpeg" {
                    return FilmCover(format: .jpeg, offset: attachment.data.offset, size: attachment.data.count)
                }
                if name == wanted + ".png" || name == wanted && attachment.mediaType == "image/png" {
                    return FilmCover(format: .png, offset: attachment.data.offset, size: attachment.data.count)
                }
            }
        }
        return nil
    }

    private static func index(_ head: MatroskaHead) -> String {
        guard let cues = head.cues, !cues.isEmpty else { return "none: a seek has to search" }
        let first = head.firstCluster ?? 0
        let isPlausible = cues.allSatisfy { $0.clusterPosition >= first && $0.clusterPosition < head.segment.end }
        return isPlausible ? "\(cues.count) cues" : "\(cues.count) cues, some of which lead to no cluster"
    }
}
