package dev.claimstream.cli;

import dev.claimstream.console.Answer;
import dev.claimstream.console.ExplanationJson;
import dev.claimstream.console.ExplanationText;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Explains one answer. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        header = "Explains why a claim was granted where it was, or why it waits.",
        description = {
            "",
            "Shows per request how the candidates shrink, the nearest miss and who is in the way; for a granted claim"
                    + " why this node and which was second. The claim is one of the running 'claimstream up', or, with"
                    + " -f, one of manifests, which are served as run does.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the claim is granted", "1:there is no such claim, or something failed", "3:the claim waits"},
        footer = {
            "",
            "Examples:",
            "  claimstream explain claim research/too-big",
            "  claimstream explain claim research/too-big -f my-manifests"
        })
final class ExplainCommand implements Callable<Integer> {
    private static final int NAMED_MAX = 20;

    @Parameters(index = "0", paramLabel = "KIND", description = "claim")
    private String kind;

    @Parameters(index = "1", paramLabel = "NAMESPACE/NAME", description = "Which one; without a namespace: default.")
    private String name;

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "A file, a directory or - for standard input, with Kubernetes objects in YAML or JSON.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Read the directories below as well.")
    private boolean recursive;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text or json.")
    private String output;

    @Option(names = "--policy", paramLabel = "POLICY", defaultValue = "best-fit", description = "With -f: as in run.")
    private String policy;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NS",
            description = "The namespace, where NAME has none. Default: default.")
    private String namespace = "default";

    @Mixin
    private DataOption data;

    @Mixin
    private GateOptions gates;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ExplainCommand() {}

    @Override
    public Integer call() throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        if (!kind.equals("claim") && !kind.equals("resourceclaim")) {
            throw new ParameterException(
                    spec.commandLine(), "%s cannot be explained: use claim NAMESPACE/NAME".formatted(kind));
        }
        if (!output.equals("text") && !output.equals("json")) {
            throw new ParameterException(
                    spec.commandLine(), "--output %s is not known: use text or json".formatted(output));
        }
        RunSettings settings =
                RunSettings.checked(spec, policy, RunSettings.defaults().searchStepsMax(), gates);
        if (files.isEmpty() && gates.areGiven()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--features and --kubernetes go with -f: what runs was started with gates of its own");
        }
        String key = name.contains("/") ? name : namespace + "/" + name;
        return files.isEmpty() ? ofRunning(key) : ofFiles(key, settings, err);
    }

    private int ofRunning(String key) {
        int slash = key.indexOf('/');
        String path = Remote.path(
                List.of(
                        "api",
                        "v1",
                        "namespaces",
                        key.substring(0, slash),
                        "claims",
                        key.substring(slash + 1),
                        "explanation"),
                new TreeMap<>());
        Remote remote = data.remote();
        if (remote.say(path, "text/plain").status() == HttpURLConnection.HTTP_NOT_FOUND) {
            throw new RunFailure(
                    "there is no claim %s, or not any more: claimstream get claims -A%s lists those that are there"
                            .formatted(key, data.again()));
        }
        Remote.Said said = output.equals("json") ? remote.json(path) : remote.text(path);
        spec.commandLine().getOut().print(said.body());
        spec.commandLine().getOut().flush();
        return said.state().filter(Answer.State.GRANTED.text()::equals).isPresent()
                ? Failures.ALL_GRANTED
                : Failures.SOME_WAIT;
    }

    private int ofFiles(String key, RunSettings settings, PrintWriter err) throws IOException {
        Run.Result result = Runs.in(
                Optional.empty(), selectors -> Inputs.read(files, recursive, selectors, System.in, err), settings, err);
        Optional<Answer> answer = result.answers().stream()
                .filter(each -> each.claim().key().toString().equals(key))
                .findFirst();
        if (answer.isEmpty()) {
            err.println("claimstream explain: there is no claim %s; %s".formatted(key, others(result.answers())));
            return Failures.FAILED;
        }
        spec.commandLine()
                .getOut()
                .print(output.equals("json") ? ExplanationJson.of(answer.get()) : ExplanationText.of(answer.get()));
        spec.commandLine().getOut().flush();
        return answer.get().state() == Answer.State.GRANTED ? Failures.ALL_GRANTED : Failures.SOME_WAIT;
    }

    private static String others(List<Answer> answers) {
        if (answers.isEmpty()) {
            return "the files have none";
        }
        String first = answers.stream()
                .limit(NAMED_MAX)
                .map(each -> each.claim().key().toString())
                .collect(Collectors.joining(", "));
        int more = answers.size() - NAMED_MAX;
        return "there are " + first + (more > 0 ? " and %d more".formatted(more) : "");
    }
}
