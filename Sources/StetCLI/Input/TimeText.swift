import Glibc
import Stet

/// Times as people write and read them, in the local zone. By libc: Foundation's small part knows no zone but GMT.
enum TimeText {
    // MARK: Reading

    /// The moment that `text` means: `2 hours ago`, `yesterday`, `2026-11-30` (the end of that day), `2026-11-30 14:05`
    /// or RFC 3339. Nil where it means none.
    static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        let text = text.lowercased()
        return ago(text, now) ?? day(text, now) ?? dateAndTime(text)
    }

    private static let units: [String: Int64] = [
        "second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 7 * 86_400,
    ]

    private static func ago(_ text: String, _ now: Timestamp) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 3, words[2] == "ago", let count = Int64(words[0]), (0...100_000).contains(count) else {
            return nil
        }
        let unit = words[1].hasSuffix("s") ? String(words[1].dropLast()) : String(words[1])
        if let seconds = units[unit] { return Timestamp(milliseconds: now.milliseconds - count * seconds * 1000) }
        // Months and years have no fixed length: the calendar counts them.
        guard unit == "month" || unit == "year" else { return nil }
        var fields = localFields(now)
        if unit == "month" { fields.tm_mon -= Int32(count) } else { fields.tm_year -= Int32(count) }
        fields.tm_isdst = -1
        return moment(fields).map { Timestamp(milliseconds: $0.milliseconds + now.milliseconds % 1000) }
    }

    private static func day(_ text: String, _ now: Timestamp) -> Timestamp? {
        var fields: tm
        if text == "yesterday" || text == "today" {
            fields = localFields(now)
            if text == "yesterday" { fields.tm_mday -= 1 }
        } else {
            guard let date = date(text[...]) else { return nil }
            fields = date
        }
        fields.tm_mday += 1
        (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_isdst) = (0, 0, 0, -1)
        return moment(fields).map { Timestamp(milliseconds: $0.milliseconds - 1) }
    }

    private static func date(_ text: Substring) -> tm? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 4, parts[1].utf8.count == 2, parts[2].utf8.count == 2,
            let year = Int32(parts[0]), let month = Int32(parts[1]), let day = Int32(parts[2]),
            (1...12).contains(month),
            (1...31).contains(day)
        else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday, fields.tm_isdst) = (year - 1900, month - 1, day, -1)
        // The calendar takes the 31st of February for a day in March; whoever wrote it meant another.
        var calendar = fields
        return timegm(&calendar) != -1 && calendar.tm_mday == day ? fields : nil
    }

    /// `2026-11-30 14:05[:09[.123]]`, with `T` or a space between, and `Z`, `+01:00` or nothing (local time) at its end.
    private static func dateAndTime(_ text: String) -> Timestamp? {
        guard text.utf8.count >= 16, var fields = date(text.prefix(10)) else { return nil }
        var rest = text.dropFirst(10)
        guard let separator = rest.popFirst(), separator == "t" || separator == " " else { return nil }
        let time = rest.prefix { $0.isNumber || $0 == ":" }
        rest = rest.dropFirst(time.count)
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) }
        guard parts.count == 2 || parts.count == 3, !parts.contains(nil) else { return nil }
        let numbers = parts.compactMap { $0 } + (parts.count == 2 ? [0] : [])
        guard numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else { return nil }
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (numbers[0], numbers[1], numbers[2])
        var milliseconds: Int64 = 0
        if rest.first == "." {
            let fraction = rest.dropFirst().prefix { $0.isNumber }
            guard let value = Int64((fraction + "000").prefix(3)) else { return nil }
            milliseconds = value
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard !rest.isEmpty else {
            return moment(fields).map { Timestamp(milliseconds: $0.milliseconds + milliseconds) }
        }
        guard let offset = offset(String(rest)) else { return nil }
        let seconds = Int64(timegm(&fields)) - offset
        return Timestamp(milliseconds: seconds * 1000 + milliseconds)
    }

    private static func offset(_ text: String) -> Int64? {
        if text == "z" { return 0 }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard text.hasPrefix("+") || text.hasPrefix("-"), digits.utf8.count == 4,
            digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int64(digits),
            number / 100 < 24, number % 100 < 60
        else { return nil }
        return (text.hasPrefix("-") ? -1 : 1) * (number / 100 * 3_600 + number % 100 * 60)
    }

    private static func moment(_ fields: tm) -> Timestamp? {
        var fields = fields
        let seconds = mktime(&fields)
        return seconds == -1 ? nil : Timestamp(milliseconds: Int64(seconds) * 1000)
    }

    // MARK: Writing

    private static func seconds(_ time: Timestamp) -> (whole: time_t, milliseconds: Int) {
        let (quotient, remainder) = time.milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? (time_t(quotient - 1), Int(remainder + 1000)) : (time_t(quotient), Int(remainder))
    }

    private static func localFields(_ time: Timestamp) -> tm {
        var whole = seconds(time).whole
        var fields = tm()
        localtime_r(&whole, &fields)
        return fields
    }

    /// `2026-11-30 14:05:09 +0100` in the local zone.
    static func local(_ time: Timestamp) -> String {
        var text: [UInt8] = []
        appendLocal(time, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Adds `2026-11-30 14:05:09 +0100` in the local zone.
    static func appendLocal(_ time: Timestamp, to text: inout [UInt8]) {
        let fields = localFields(time)
        append(fields, separator: UInt8(ascii: " "), to: &text)
        let minutes = Int(fields.tm_gmtoff) / 60
        text.append(UInt8(ascii: " "))
        text.append(UInt8(ascii: minutes < 0 ? "-" : "+"))
        appendPair(Int32(abs(minutes) / 60), to: &text)
        appendPair(Int32(abs(minutes) % 60), to: &text)
    }

    /// `2026-11-30T13:05:09.123Z` (RFC 3339).
    static func utc(_ time: Timestamp) -> String {
        var (whole, milliseconds) = seconds(time)
        var fields = tm()
        gmtime_r(&whole, &fields)
        var text: [UInt8] = []
        append(fields, separator: UInt8(ascii: "T"), to: &text)
        text.append(UInt8(ascii: "."))
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds / 100))
        appendPair(Int32(milliseconds % 100), to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ fields: tm, separator: UInt8, to text: inout [UInt8]) {
        // A time comes from the store, where anything can stand; RFC 3339 knows no other years.
        let year = min(max(0, Int(fields.tm_year) + 1900), 9999)
        appendPair(Int32(year / 100), to: &text)
        appendPair(Int32(year % 100), to: &text)
        text.append(UInt8(ascii: "-"))
        appendPair(fields.tm_mon + 1, to: &text)
        text.append(UInt8(ascii: "-"))
        appendPair(fields.tm_mday, to: &text)
        text.append(separator)
        appendPair(fields.tm_hour, to: &text)
        text.append(UInt8(ascii: ":"))
        appendPair(fields.tm_min, to: &text)
        text.append(UInt8(ascii: ":"))
        appendPair(fields.tm_sec, to: &text)
    }

    /// Two digits.
    private static func appendPair(_ number: Int32, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10 % 10))
        text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
