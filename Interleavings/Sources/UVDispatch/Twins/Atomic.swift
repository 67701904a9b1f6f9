internal import TaskDispatch

/// Hides the standard library's in this module too.
typealias Atomic = TaskDispatch.Atomic
