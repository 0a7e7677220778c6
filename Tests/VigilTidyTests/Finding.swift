import Synchronization

/// A violation of a rule.
struct Finding: Hashable, CustomStringConvertible {
    let rule: Rule
    let path: String
    var line = 1
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}

enum Rule: Hashable, CaseIterable {
    case layers
    case fileLength
    case functionLength
    case bannedToken
    case traitCondition
    case dialectWord
    case uncheckedSendable
    case uncheckedAccess
    case typeName
    case workplaceWord
    case script
    case sample
    case language
    case documentation
    case parameterLabels
    case storedVariables
    case folder
    case backendAPI
    case commentWidth
}

/// The findings in this package, by the rules that have been applied to it.
private let knownFindings = Mutex<[Rule: [Finding]]>([:])

extension Rule {
    /// The findings in this package, including those that exceptions excuse. Each rule is applied to it only
    /// once.
    var findingsInPackage: [Finding] {
        knownFindings.withLock { known in
            if let findings = known[self] { return findings }
            let findings = findings(in: .current)
            known[self] = findings
            return findings
        }
    }

    /// Returns all findings of the rule in the tree, including those that exceptions excuse.
    func findings(in tree: Tree) -> [Finding] {
        switch self {
        case .layers: layerFindings(in: tree.swiftFiles)
        case .fileLength:
            tree.swiftFiles.flatMap(fileLengthFindings) + tree.files.flatMap(pageLengthFindings)
        case .functionLength: tree.swiftFiles.flatMap(functionLengthFindings)
        case .bannedToken: tree.files.flatMap(bannedTokenFindings)
        case .traitCondition: tree.swiftFiles.flatMap(traitConditionFindings)
        case .dialectWord: tree.swiftFiles.flatMap(dialectWordFindings)
        case .uncheckedSendable:
            tree.swiftFiles.flatMap(unnamedGuardFindings)
                + uncheckedCountFindings(in: tree.swiftFiles, expected: uncheckedCounts)
                + uncheckedBoxFindings(in: tree.swiftFiles, expected: uncheckedBoxCounts)
        case .uncheckedAccess:
            tree.swiftFiles.flatMap(unexplainedAccessFindings)
                + uncheckedAccessCountFindings(in: tree.swiftFiles, expected: uncheckedAccessCounts)
        case .typeName: tree.swiftFiles.flatMap(typeNameFindings)
        case .workplaceWord: tree.files.flatMap(workplaceWordFindings)
        case .language:
            languageFindings(in: tree.files, limits: languageLimits)
                + relativeClauseFindings(in: tree.files, limit: Limit.relativeClausesPer1000Words)
        case .documentation: documentationFindings(in: tree)
        case .script: tree.scripts.flatMap { scriptFindings($0, answer: ScriptAnswer(of: $0, in: tree)) }
        case .sample: sampleFindings(in: tree)
        case .parameterLabels:
            unlabelledParameterFindings(
                in: tree.swiftFiles, limit: Limit.unlabelledParameterListsPer1000Functions)
        case .storedVariables: tree.swiftFiles.flatMap(storedVariableFindings)
        case .folder: folderFindings(in: tree.swiftFiles)
        case .backendAPI: backendProtocolFindings(in: tree.swiftFiles)
        case .commentWidth: tree.files.flatMap(commentWidthFindings)
        }
    }
}
