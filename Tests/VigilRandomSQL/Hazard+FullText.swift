import VigilTesting

extension Hazard {
    private static func words(_ random: inout SplitMix64) -> String {
        "'" + (0..<number(1...3, &random)).map { _ in word(&random) }.joined(separator: " ") + "'"
    }

    private static func word(_ random: inout SplitMix64) -> String {
        pick(["alpha", "beta", "gamma", "delta"], &random)
    }

    static func setUpFullText(_ random: inout SplitMix64) -> [String] {
        var sql = [
            "CREATE TABLE doc(id INTEGER PRIMARY KEY, body, tag)",
            "CREATE VIRTUAL TABLE ext4 USING fts4(content=\"doc\", body, tag)",
            "CREATE VIRTUAL TABLE own4 USING fts4(body, tag)",
            "CREATE VIRTUAL TABLE terms4 USING fts4aux(own4)",
            "CREATE VIRTUAL TABLE extTerms4 USING fts4aux(ext4)",
            "CREATE VIRTUAL TABLE ext5 USING fts5(body, content='doc', content_rowid='id')",
            "CREATE VIRTUAL TABLE own5 USING fts5(body)",
            "CREATE VIRTUAL TABLE terms5 USING fts5vocab(own5, 'row')",
        ]
        if chance(2, &random) {
            sql.append(
                "CREATE TRIGGER docs BEFORE DELETE ON doc BEGIN DELETE FROM ext4 WHERE docid = OLD.id; END")
        }
        for id in 1...3 {
            sql.append("INSERT INTO doc VALUES (\(id), \(words(&random)), \(words(&random)))")
            sql.append("INSERT INTO own4(body, tag) VALUES (\(words(&random)), 't')")
            sql.append("INSERT INTO own5 VALUES (\(words(&random)))")
        }
        return sql + [
            "INSERT INTO ext4(ext4) VALUES ('rebuild')", "INSERT INTO ext5(ext5) VALUES ('rebuild')",
        ]
    }

    static func queryOfFullText(_ random: inout SplitMix64) -> String {
        let (word, id) = (word(&random), number(1...5, &random))
        return pick(
            [
                "SELECT * FROM ext4", "SELECT docid, body FROM ext4 WHERE ext4 MATCH '\(word)'",
                "SELECT body FROM ext4 WHERE docid = \(id)", "SELECT COUNT(*) FROM ext4",
                "SELECT docid, tag FROM ext4 WHERE body MATCH '\(word)'",
                "SELECT doc.tag FROM ext4 JOIN doc ON doc.id = ext4.docid WHERE ext4 MATCH '\(word)'",
                "SELECT * FROM own4", "SELECT body FROM own4 WHERE own4 MATCH '\(word)'",
                "SELECT body FROM own4 WHERE docid = \(id)", "SELECT COUNT(*) FROM own4",
                "SELECT term, documents FROM terms4 WHERE col = '*'",
                "SELECT occurrences FROM terms4 WHERE term = '\(word)' AND col = '*'",
                "SELECT term FROM extTerms4 WHERE col = '*'",
                "SELECT * FROM ext5", "SELECT rowid, body FROM ext5 WHERE ext5 MATCH '\(word)'",
                "SELECT body FROM ext5 WHERE rowid = \(id)", "SELECT COUNT(*) FROM ext5",
                "SELECT * FROM own5", "SELECT body FROM own5 WHERE own5 MATCH '\(word)'",
                "SELECT term, cnt FROM terms5",
            ], &random)
    }

    static func writesOfFullText(_ random: inout SplitMix64) -> Unit {
        Unit(
            together(1...3, &random) { random in
                let (id, text) = (number(1...5, &random), words(&random))
                switch number(1...20, &random) {
                case 1, 2: return "INSERT OR REPLACE INTO doc VALUES (\(id), \(text), 't')"
                case 3, 4: return "UPDATE doc SET body = \(text) WHERE id = \(id)"
                case 5: return "DELETE FROM doc WHERE id = \(id)"
                case 6: return "DELETE FROM doc"
                case 7:
                    return "INSERT INTO ext4(docid, body, tag) SELECT id, body, tag FROM doc WHERE id = \(id)"
                case 8: return "DELETE FROM ext4 WHERE docid = \(id)"
                case 9: return "INSERT INTO ext4(ext4) VALUES ('rebuild')"
                case 10: return "INSERT INTO own4(body, tag) VALUES (\(text), 't')"
                case 11: return "UPDATE own4 SET body = \(text) WHERE docid = \(id)"
                case 12: return "DELETE FROM own4 WHERE docid = \(id)"
                case 13: return pick(["DELETE FROM own4", "DELETE FROM own4_content"], &random)
                case 14: return "INSERT INTO own4(own4) VALUES ('optimize')"
                case 15: return "INSERT INTO ext5(rowid, body) SELECT id, body FROM doc WHERE id = \(id)"
                case 16: return "INSERT INTO ext5(ext5) VALUES ('rebuild')"
                case 17: return "INSERT OR REPLACE INTO own5(rowid, body) VALUES (\(id), \(text))"
                case 18: return "UPDATE own5 SET body = \(text) WHERE rowid = \(id)"
                case 19: return pick(["DELETE FROM own5", "DELETE FROM own5_content"], &random)
                default: return "DELETE FROM own5 WHERE rowid = \(id)"
                }
            })
    }
}
