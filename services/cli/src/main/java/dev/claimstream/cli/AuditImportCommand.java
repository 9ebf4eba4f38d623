package dev.claimstream.cli;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.streams.TopicImport;
import dev.claimstream.audit.streams.TopicImport.PartitionSummary;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Restores the topics of an archive in an empty Kafka. */
@Command(
        name = "import",
        mixinStandardHelpOptions = true,
        header = "Restore inputs and ledger from an archive in a Kafka that does not have them.",
        description = {
            "",
            "Writes cells.in, router.in and ledger.v1 with the same keys, values, times and offsets, and registers their"
                    + " schemas with the same ids. Creates the topics, or requires that they are empty. They keep everything:"
                    + " retention.ms is -1.",
            "Without Kafka, replay, audit verify, who, history, usage, explain and simulate read the archive itself: --archive.",
            "The Kafka is for readers: audit verify, replay, and a history. Do not start an allocator on it, because"
                    + " decisions and states are not restored.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the topics are restored",
            "1:the archive is damaged or has a gap, a topic is not empty, or Kafka or the registry does not respond"
        },
        footer = {
            "",
            "Example: claimstream audit import --archive /var/lib/claimstream-archive --bootstrap kafka:9092 --registry"
                    + " http://registry:8081"
        })
final class AuditImportCommand implements Callable<Integer> {
    @Option(names = "--archive", required = true, paramLabel = "DIR|URI", description = "Folder or URI of the archive.")
    private String location = "";

    @Option(
            names = {"--bootstrap", "--bootstrap-servers"},
            required = true,
            paramLabel = "HOST:PORT",
            description = "Kafka bootstrap servers, separated by commas. Settings of TLS and SASL come from the"
                    + " environment and the files of $CLAIMSTREAM_CONFIG.")
    private String bootstrap = "";

    @Option(
            names = "--registry",
            paramLabel = "URL",
            description = "Schema registry that takes ids. Default: $CLAIMSTREAM_REGISTRY_URL.")
    private Optional<String> registry = Optional.empty();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AuditImportCommand() {}

    @Override
    public Integer call() {
        List<PartitionSummary> restored = LogSourceOption.connected(spec, bootstrap, registry, (kafka, schemas) -> {
            try (schemas;
                    var archive = new ArchiveLog(ArchiveStore.of(location))) {
                return new TopicImport(archive, kafka, schemas).run();
            }
        });
        PrintWriter out = spec.commandLine().getOut();
        restored.forEach(each -> out.println("%s, partition %d: %d records, offsets %d to %d"
                .formatted(each.topic(), each.partition(), each.records(), each.begin(), each.end())));
        out.flush();
        return ExitCodes.SUCCESS;
    }
}
