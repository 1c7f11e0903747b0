/// The steps that bring an index to the present layout, in order.
///
/// Each runs in a transaction of its own; the index's `user_version` counts those that ran. A step that was released
/// is never changed: the next change is a new file.
package enum Migrations {
    /// A step: the file it stands in, and its SQL.
    package struct Step: Sendable {
        package let name: String
        package let sql: [UInt8]
    }

    /// All steps, oldest first.
    package static let all = [
        Step(name: "0001_initial", sql: PackageResources._001_initial_sql),
        Step(name: "0002_vault", sql: PackageResources._002_vault_sql),
        Step(name: "0003_birth", sql: PackageResources._003_birth_sql),
    ]
}
