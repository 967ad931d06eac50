import Testing

@testable import Matroska

@Suite("The WebM profile") struct WebMProfileTests {
    @Test("a WebM file departs in nothing")
    func webm() throws {
        let track = EBML.master(.trackEntry, EBML.unsigned(.trackNumber, 1), EBML.unsigned(.trackType, 1), EBML.text(.codecID, "V_VP9"))
        let head = try readHead(film(EBML.master(.info), EBML.master(.tracks, track), docType: "webm"))
        #expect(WebMProfile.departures(of: head) == [])
    }

    @Test("a Matroska file departs in DocType, codecs, compression and attachments")
    func matroska() throws {
        let compressed = EBML.master(
            .trackEntry, EBML.unsigned(.trackNumber, 5), EBML.text(.codecID, "A_OPUS"),
            EBML.master(.contentEncodings, EBML.master(.contentEncoding, EBML.master(.contentCompression))))
        let head = try readHead(
            film(
                EBML.master(.info), EBML.master(.tracks, SampleFilm.Track.audio, compressed),
                EBML.master(.attachments, EBML.master(.attachedFile, EBML.text(.fileName, "a")))))
        #expect(
            WebMProfile.departures(of: head)
                == [.docType("matroska"), .codec(track: 2, "A_AAC"), .compression(track: 5), .attachments])
    }
}
