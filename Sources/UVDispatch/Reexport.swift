// A program needs one import for the dispatcher and for everything that it is used with.
@_exported public import TaskDispatch
