package dev.claimstream.cli;

import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.input.RawManifestFiles;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Creates or updates the objects of manifests in a running {@code claimstream up}. */
@Command(
        name = "apply",
        mixinStandardHelpOptions = true,
        header = "Create or update the objects of manifests in the running 'claimstream up'.",
        description = {
            "",
            "Kinds and versions as in run, but without workloads such as Deployments, which are named and ignored: pass"
                    + " their pods. Errors of an object go to standard error as file:line; all other"
                    + " objects are applied.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all objects were applied", "1:an object was rejected, or the command failed"},
        footer = {"", "Example: claimstream apply -f deploy/examples/shared-claim"})
final class ApplyCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            required = true,
            description = "A file, a directory or - for standard input, with Kubernetes objects in YAML or JSON.")
    private List<String> files;

    @Option(
            names = {"-R", "--recursive"},
            description = "Also read subdirectories.")
    private boolean recursive;

    @Mixin
    private ConsoleOption console;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ApplyCommand() {}

    @Override
    public Integer call() {
        List<RawManifestFiles.RawManifest> texts = RawManifestFiles.of(files, recursive, System.in);
        ConsoleClient client = console.client();
        var changes = new ChangePrinter(
                spec.commandLine().getOut(), spec.commandLine().getErr());
        texts.forEach(text -> changes.print(client.post(path("apply", text), text.bytes())));
        return changes.exitCode();
    }

    static String path(String verb, RawManifestFiles.RawManifest text) {
        var parameters = new TreeMap<String, String>();
        parameters.put("file", text.name());
        return ConsoleClient.path(List.of("api", "v1", verb), parameters);
    }
}
