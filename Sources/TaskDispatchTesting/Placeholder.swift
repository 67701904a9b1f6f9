public import TaskDispatch
