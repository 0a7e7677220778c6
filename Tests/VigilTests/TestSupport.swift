// All files of the module can use the helpers.
@_exported public import VigilTestSupport
