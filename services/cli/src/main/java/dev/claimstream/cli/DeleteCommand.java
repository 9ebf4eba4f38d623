package dev.claimstream.cli;

import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.input.RawManifestFiles;
import dev.claimstream.console.KindNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Deletes objects of a running {@code claimstream up}. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        header = "Delete objects in the running 'claimstream up'.",
        description = {
            "",
            "Objects of manifests, or objects of one kind by name. A claim in use is deleted after its last pod.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all objects are deleted or terminating", "1:an object does not exist, or the command failed"
        },
        footer = {
            "",
            "Examples:",
            "  claimstream delete pod finetune-0 -n training",
            "  claimstream delete -f deploy/examples/shared-claim/workload.yaml"
        })
final class DeleteCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "KIND",
            description = "claim, template, pod, podgroup, node, namespace, slice, class or taintrule.")
    private Optional<String> kind = Optional.empty();

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "NAME", description = "Names of the objects.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            description = "Namespace of the named objects. Default: default.")
    private Optional<String> namespace = Optional.empty();

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "A file, a directory or - for standard input, with Kubernetes objects in YAML or JSON.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Also read subdirectories.")
    private boolean recursive;

    @Mixin
    private ConsoleOption console;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private DeleteCommand() {}

    @Override
    public Integer call() {
        if (files.isEmpty() == kind.isEmpty()) {
            throw wrong("missing objects: use -f PATH, or KIND NAME");
        }
        kind.ifPresent(this::check);
        List<RawManifestFiles.RawManifest> texts = RawManifestFiles.of(files, recursive, System.in);
        ConsoleClient client = console.client();
        var changes = new ChangePrinter(
                spec.commandLine().getOut(), spec.commandLine().getErr());
        texts.forEach(text -> changes.print(client.post(ApplyCommand.path("delete", text), text.bytes())));
        kind.ifPresent(each -> names.forEach(name -> changes.print(client.delete(path(each, name)))));
        return changes.exitCode();
    }

    private void check(String named) {
        if (KindNames.of(named).isEmpty()) {
            throw wrong("kind %s is not known: use %s".formatted(named, KindNames.known()));
        }
        if (names.isEmpty()) {
            throw wrong("missing NAME: name the %s".formatted(named));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Returns the request path. A name may contain its namespace, as in {@code NAMESPACE/NAME}. */
    private String path(String kindName, String name) {
        int slash = name.indexOf('/');
        var parameters = new TreeMap<String, String>();
        (slash > 0 ? Optional.of(name.substring(0, slash)) : namespace)
                .ifPresent(each -> parameters.put("namespace", each));
        return ConsoleClient.path(List.of("api", "v1", "objects", kindName, name.substring(slash + 1)), parameters);
    }
}
