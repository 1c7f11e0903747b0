enum ManualPage { static let text = "" }
