// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "stet",
    products: [
        .library(name: "Stet", targets: ["Stet"]),
        .executable(name: "stet", targets: ["StetCLI"]),
        .executable(name: "stet-bench", targets: ["StetBench"]),
        .executable(name: "stet-crash", targets: ["StetCrash"]),
    ],
    targets: [
        // System libraries and shims: a module map and a header, nothing else.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLinux"),

        .target(
            name: "Migrations", path: "Migrations",
            resources: [
                .embedInCode("0001_initial.sql"), .embedInCode("0002_vault.sql"), .embedInCode("0003_birth.sql"),
            ], swiftSettings: strict),
        .target(name: "StetObjects", dependencies: ["CCrypto", "CLinux"], swiftSettings: strict),
        .target(
            name: "StetIndex", dependencies: ["StetObjects", "Migrations", "CSQLite"], swiftSettings: strict),
        .target(name: "StetText", swiftSettings: strict),
        .target(name: "Stet", dependencies: ["StetIndex", "StetObjects", "StetText"], swiftSettings: strict),
        .executableTarget(name: "StetCLI", dependencies: ["Stet"], swiftSettings: strict),
        // Measurements and replays of real histories; not part of what is installed.
        .executableTarget(name: "StetBench", dependencies: ["Stet", "CSQLite"], swiftSettings: strict),
        // Scenarios and checks for tools/crash; not part of what is installed.
        .executableTarget(
            name: "StetCrash", dependencies: ["Stet", "StetIndex", "StetObjects", "Migrations", "CSQLite"],
            swiftSettings: strict),

        .target(name: "TestSupport", dependencies: ["Stet"], path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "StetObjectsTests", dependencies: ["StetObjects", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "StetIndexTests", dependencies: ["StetIndex", "Migrations", "CSQLite", "TestSupport"],
            swiftSettings: strict),
        .testTarget(name: "StetTextTests", dependencies: ["StetText", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "StetTests", dependencies: ["Stet", "CSQLite", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ScenarioTests", dependencies: ["StetCLI", "StetCrash", "TestSupport"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
