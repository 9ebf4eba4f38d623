package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.contracts.ContractPage;
import dev.claimstream.kafka.contracts.SubjectSchemas;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code claimstream schemas}: what it prints, what it writes, and what it rejects. */
final class SchemasCommandTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void listsSubjects() {
        CommandResult result = CommandResult.run("schemas");
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out().lines().map(line -> line.replaceAll(" +", " ")))
                .startsWith("SUBJECT RECORD MEANING")
                .contains(
                        "decisions.v1-value DecisionRecord the last decision on a claim.",
                        "bad-records.v1-value BadRecord a record that could not be read, with its position and the reason.")
                .hasSize(1 + SubjectSchemas.shipped().bySubject().size());
    }

    @Test
    void printsSchemaOfSubjectOrTopic() {
        CommandResult result = CommandResult.run("schemas", "claims.v1-value");
        assertThat(new Schema.Parser().parse(result.out()))
                .isEqualTo(SubjectSchemas.shipped().bySubject().get("claims.v1-value"));
        assertThat(CommandResult.run("schemas", "claims.v1")).isEqualTo(result);
    }

    @Test
    void writesSchemasAndPage() throws IOException {
        Path out = folder.resolve("a").resolve("b");
        Path page = folder.resolve("page.html");
        CommandResult result = CommandResult.run("schemas", "--out", out.toString(), "--html", page.toString());
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out().lines())
                .contains(out.resolve("inventory.v1-value.avsc").toString())
                .endsWith(page.toString());
        assertThat(page).hasContent(ContractPage.shipped());
        try (Stream<Path> files = Files.list(out)) {
            assertThat(files)
                    .hasSize(SubjectSchemas.shipped().bySubject().size())
                    .allSatisfy(file -> {
                        String subject = file.getFileName().toString().replace(".avsc", "");
                        assertThat(new Schema.Parser().parse(file.toFile()))
                                .isEqualTo(SubjectSchemas.shipped().bySubject().get(subject));
                    });
        }
    }

    @Test
    void writesOnlyNamedSubject() {
        CommandResult result = CommandResult.run("schemas", "inventory.v1", "--out", folder.toString());
        assertThat(result.out().lines())
                .containsExactly(folder.resolve("inventory.v1-value.avsc").toString());
    }

    @Test
    void rejectsUnknownSubjectAndUnusablePaths() throws IOException {
        assertThat(rejected("schemas", "claims.v2"))
                .first()
                .asString()
                .startsWith("claimstream schemas: there is no subject claims.v2: use one of bad-records.v1-value, ");
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThat(rejected("schemas", "--out", file.toString()))
                .containsExactly("claimstream: --out %s is a file: name a folder".formatted(file));
        Path nowhere = folder.resolve("no").resolve("page.html");
        assertThat(rejected("schemas", "--html", nowhere.toString()))
                .containsExactly(
                        "claimstream: --html %s cannot be written, no such file or folder: name a file in a folder that exists"
                                .formatted(nowhere));
        assertThat(rejected("schemas", "--html", folder.toString()))
                .containsExactly(
                        "claimstream: --html %s cannot be written, Is a directory: name a file in a folder that exists"
                                .formatted(folder));
    }

    private static List<String> rejected(String... args) {
        CommandResult result = CommandResult.run(args);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        return result.errLines();
    }
}
