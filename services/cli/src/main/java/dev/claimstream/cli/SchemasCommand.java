package dev.claimstream.cli;

import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.cli.output.TextTable;
import dev.claimstream.kafka.contracts.ContractPage;
import dev.claimstream.kafka.contracts.SubjectSchemas;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints or writes the Avro schemas of the topics, and their documentation. */
@Command(
        name = "schemas",
        mixinStandardHelpOptions = true,
        header = "List the Avro schemas of the topics, print one, or write all with their documentation to files.",
        description = {
            "",
            "The schemas are those of this program; Kafka and a schema registry are not needed. Without an option, list"
                    + " the subjects. With SUBJECT, print its schema, or write only this schema.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success", "1:there is no such subject, or a file cannot be written"},
        footer = {
            "",
            "Examples:",
            "  claimstream schemas inventory.v1",
            "  claimstream schemas --out schemas --html schemas/index.html"
        })
final class SchemasCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "SUBJECT",
            description = "Subject, or its topic: inventory.v1-value or inventory.v1.")
    private Optional<String> subject = Optional.empty();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write each schema to DIR/SUBJECT.avsc, complete in itself; print the names of the files.")
    private Optional<Path> out = Optional.empty();

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write one page that documents all topics and records; print its name.")
    private Optional<Path> html = Optional.empty();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private SchemasCommand() {}

    @Override
    public Integer call() throws IOException {
        SubjectSchemas schemas = selected();
        PrintWriter print = spec.commandLine().getOut();
        if (out.isPresent()) {
            Path folder = FolderChecks.requireWritable("--out", out.get());
            schemas.write(folder).forEach(print::println);
        }
        if (html.isPresent()) {
            print.println(writePage(html.get()));
        }
        if (out.isEmpty() && html.isEmpty()) {
            print.print(subject.isPresent() ? schemas.text() : table(schemas));
        }
        print.flush();
        return ExitCodes.SUCCESS;
    }

    private SubjectSchemas selected() {
        SubjectSchemas all = SubjectSchemas.shipped();
        return subject.map(name -> all.find(name)
                        .orElseThrow(() -> new ParameterException(
                                spec.commandLine(),
                                "there is no subject %s: use one of %s"
                                        .formatted(
                                                name,
                                                String.join(
                                                        ", ", all.bySubject().keySet())))))
                .orElse(all);
    }

    private static Path writePage(Path file) {
        try {
            return Files.writeString(file, ContractPage.shipped());
        } catch (IOException e) {
            throw new RunFailure("--html %s cannot be written, %s: name a file in a folder that exists"
                    .formatted(file, FolderChecks.reason(e)));
        }
    }

    private static String table(SubjectSchemas schemas) {
        var table = new TextTable("SUBJECT", "RECORD", "MEANING");
        schemas.summaries().forEach(each -> table.add(each.subject(), each.record(), each.meaning()));
        return table.text(OptionalInt.empty());
    }
}
