// The identifiers and records that the public interface speaks in: an outside program imports `Stet` and nothing else.
@_exported public import StetIndex
@_exported public import StetObjects
@_exported public import StetText
