/// Sizes as people write them.
package enum ByteSize {
    /// `50G`, `50GiB`, `1.5T`, `800M`, `4096`: units of 1024, whatever the case. `nil`: not a size, or more than 2^63.
    package static func parse(_ text: String) -> UInt64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        var unit = text[digits.endIndex...].lowercased()[...]
        while unit.first == " " { unit.removeFirst() }
        if unit.hasSuffix("ib") { unit = unit.dropLast(2) } else if unit.hasSuffix("b") { unit = unit.dropLast() }
        let shift: UInt64
        switch unit {
        case "": shift = 0
        case "k": shift = 10
        case "m": shift = 20
        case "g": shift = 30
        case "t": shift = 40
        case "p": shift = 50
        default: return nil
        }
        if let whole = UInt64(digits) {
            let (product, overflow) = whole.multipliedReportingOverflow(by: 1 << shift)
            return overflow || product > UInt64(Int64.max) ? nil : product
        }
        guard digits.first != ".", digits.last != ".", let number = Double(digits) else { return nil }
        let product = number * Double(UInt64(1) << shift)
        return product >= 0 && product < 9.2e18 ? UInt64(product) : nil
    }

    /// `0 B`, `999 B`, `1.5 KiB`, `12 GiB`: at most four characters of number.
    package static func format(_ bytes: UInt64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 1023.95, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        if unit == 0 || value >= 99.95 { return "\(Int(value.rounded())) \(units[unit])" }
        let tenths = Int((value * 10).rounded())
        return (tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)") + " \(units[unit])"
    }
}
