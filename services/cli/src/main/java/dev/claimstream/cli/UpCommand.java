package dev.claimstream.cli;

import dev.claimstream.console.Expressions;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.kubernetes.ObjectStore.Applied;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.selectors.CelSelectors;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Starts everything and stays. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        header = "Starts a broker, a schema registry and all services in this process, and stays until Ctrl-C.",
        description = {
            "",
            "Other commands work on it from another terminal: apply, delete, get, explain, watch, status. Producers from"
                    + " outside can write to its topics. What it holds is kept in the data folder; the next start there"
                    + " goes on where this one ended, however it ended.",
            "",
            "Without --kubeconfig and --control-plane the cluster that it serves is Kubernetes in miniature and no more than this: applied objects get uid and"
                    + " version, pods with templates get claims, deleting a pod releases its claims, the status of a"
                    + " claim is what the writer committed. Nothing runs the pods.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:it was stopped, by Ctrl-C or SIGTERM",
            "1:it did not start, or something in it ended: start it again",
            "2:a path of -f is not there; nothing was started"
        },
        footer = {
            "",
            "Examples:",
            "  claimstream up -f deploy/examples/mixed-accelerators",
            "  claimstream up --kubeconfig writer.kubeconfig",
            "  claimstream up --control-plane"
        })
final class UpCommand implements Callable<Integer> {
    private static final String OPTION_PORT = "--port";
    private static final String OPTION_KUBECONFIG = "--kubeconfig";
    private static final String OPTION_CONTROL_PLANE = "--control-plane";
    private static final String OPTION_CELLS = "--cells";
    private static final String OPTION_THREADS = "--threads";
    private static final int NOTHING_THERE = 2;

    /** It locks the fewest gates: what it takes may still be refused once it is known which release a server is of. */
    private static final KubernetesVersion OLDEST = KubernetesVersion.V1_36;

    private static final int CELLS_MAX = 64;
    private static final int PORT_MAX = 65_535;
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(20);
    private static final Duration CLOSE_BROKEN_WITHIN = Duration.ofSeconds(5);

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "Objects to apply at the start: a file, a directory or - for standard input.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Read the directories below as well.")
    private boolean recursive;

    @Option(
            names = OPTION_KUBECONFIG,
            paramLabel = "FILE",
            description = "Serve the cluster that this file names, as kubectl reads it, instead of one in miniature."
                    + " Its objects are changed with kubectl. Under the policies of deploy/policies its user has to be the"
                    + " writer; deploy/policies/README.md says how such a file is made.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "The context of the kubeconfig. Default: its current one.")
    private Optional<String> context = Optional.empty();

    @Option(
            names = OPTION_CONTROL_PLANE,
            description =
                    "Start a Kubernetes control plane beside it, with four nodes whose kubelets are played and the"
                            + " policies of deploy/policies, and serve that: to try everything with kubectl. Needs Go once, for"
                            + " platform/testbed/build control-plane.")
    private boolean controlPlane;

    @Option(
            names = "--all-claims",
            description =
                    "With --kubeconfig or --control-plane: allocate every claim. Default: those of the device classes that the"
                            + " ConfigMap claimstream/claimstream-managed names; without it none. The policies keep"
                            + " kube-scheduler from the drivers alone that it names: name there those of all classes.")
    private boolean allClaims;

    @Option(
            names = OPTION_PORT,
            paramLabel = "N",
            description = "Port of the console on loopback. Default: as at the last start, else any free one.")
    private Optional<Integer> port = Optional.empty();

    @Option(
            names = "--broker-port",
            paramLabel = "N",
            description = "Port of the Kafka broker on loopback. Default: as at the last start, else any free one.")
    private Optional<Integer> brokerPort = Optional.empty();

    @Option(
            names = "--registry-port",
            paramLabel = "N",
            description = "Port of the schema registry on loopback. Default: as at the last start, else any free one.")
    private Optional<Integer> registryPort = Optional.empty();

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            defaultValue = "best-fit",
            description = "best-fit (default) or first-fit, as in run.")
    private String policy;

    @Option(
            names = OPTION_CELLS,
            paramLabel = "N",
            description =
                    "Divide the nodes into so many cells, each with a log and an allocator of its own; fixed at the first start"
                            + " on a folder. Default: 1, which is the fastest up to very large clusters.")
    private Optional<Integer> cells = Optional.empty();

    @Option(
            names = OPTION_THREADS,
            paramLabel = "N",
            description =
                    "Let so many threads work on the cells and their router; more than there are of these have nothing to do."
                            + " Default: claimstream.allocator.threads, which is 1.")
    private Optional<Integer> threads = Optional.empty();

    @Option(
            names = "--rebuild",
            description =
                    "First let the allocator learn everything anew from the public topics and its own decisions, where it"
                            + " says that this is needed. What was granted stays granted.")
    private boolean rebuild;

    @Mixin
    private DataOption data;

    @Mixin
    private GateOptions gates;

    @Mixin
    private CoolDownOption coolDown;

    @Mixin
    private DecisionLines decisionLines;

    @Spec
    private CommandSpec spec;

    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private UpCommand() {}

    @Override
    public Integer call() {
        decisionLines.configure(spec);
        RunSettings settings = RunSettings.checked(
                        spec,
                        policy,
                        RunSettings.defaults().searchStepsMax(),
                        gates.features(spec, isReal() ? OLDEST : KubernetesVersion.NEWEST))
                .withRebuild(rebuild)
                .withThreads(threads)
                .withCoolDown(coolDown.of(spec, isReal()))
                .withBinding(isReal());
        check(OPTION_PORT, port);
        check("--broker-port", brokerPort);
        check("--registry-port", registryPort);
        checkCount(OPTION_CELLS, cells);
        checkCount(OPTION_THREADS, threads);
        refuseNonsense();
        List<String> missing = Inputs.missing(files);
        if (!missing.isEmpty()) {
            missing.forEach(each -> spec.commandLine().getErr().println("claimstream up: -f " + each));
            return NOTHING_THERE;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopBySignal, "stop"));
        try (var folder = DataFolder.open(data.folder())) {
            return onFolder(folder, settings);
        } finally {
            closed.countDown();
        }
    }

    private boolean isReal() {
        return kubeconfig.isPresent() || controlPlane;
    }

    private void refuseNonsense() {
        if (kubeconfig.isPresent() && controlPlane) {
            throw new ParameterException(
                    spec.commandLine(), "--control-plane and --kubeconfig name two clusters: leave one out");
        }
        if (isReal() && !files.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "-f: with %s objects are changed with kubectl, leave it out"
                            .formatted(controlPlane ? OPTION_CONTROL_PLANE : OPTION_KUBECONFIG));
        }
        if (!isReal() && allClaims) {
            throw new ParameterException(
                    spec.commandLine(), "--all-claims: it is for a --kubeconfig or --control-plane, name that too");
        }
        if (kubeconfig.isEmpty() && context.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--context %s: it is one of a --kubeconfig, name that too".formatted(context.get()));
        }
        kubeconfig.ifPresent(this::checkAccess);
    }

    private void checkAccess(Path file) {
        try {
            ApiAccess.of(file, context).check();
        } catch (IllegalArgumentException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    private void check(String option, Optional<Integer> wanted) {
        wanted.filter(number -> number < 1 || number > PORT_MAX).ifPresent(number -> {
            throw new ParameterException(
                    spec.commandLine(), "%s %d is no port: use 1 to %d".formatted(option, number, PORT_MAX));
        });
    }

    /** Of cells, and of the threads that share them: more threads than cells have nothing to do. */
    private void checkCount(String option, Optional<Integer> wanted) {
        wanted.filter(number -> number < 1 || number > CELLS_MAX).ifPresent(number -> {
            throw new ParameterException(spec.commandLine(), "%s %d: use 1 to %d".formatted(option, number, CELLS_MAX));
        });
    }

    /** A signal ends the process with 0 once everything is closed; where the process ends by itself there is nothing to wait for. */
    private void stopBySignal() {
        if (closed.getCount() > 0) {
            stop.countDown();
            try {
                boolean isClosed = closed.await(CLOSE_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
                Runtime.getRuntime().halt(isClosed ? Failures.ALL_GRANTED : Failures.FAILED);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private int onFolder(DataFolder folder, RunSettings settings) {
        PrintWriter err = spec.commandLine().getErr();
        Inputs.Sound objects = files.isEmpty()
                ? Inputs.Sound.NONE
                : Inputs.sound(files, recursive, new Expressions(settings.features()), System.in, err);
        var ports = new StackPorts(
                chosen(folder, "broker", "--broker-port", brokerPort),
                chosen(folder, "registry", "--registry-port", registryPort));
        OptionalInt console = chosen(folder, "console", OPTION_PORT, port);
        if (!controlPlane) {
            return start(folder, settings, objects, ports, console, Optional.empty());
        }
        try (var own = OwnControlPlane.start(folder.path().resolve("control-plane"))) {
            return start(folder, settings, objects, ports, console, Optional.of(own));
        }
    }

    private int start(
            DataFolder folder,
            RunSettings settings,
            Inputs.Sound objects,
            StackPorts ports,
            OptionalInt console,
            Optional<OwnControlPlane> own) {
        var selectors = new CelSelectors();
        selectors.probe();
        PrintWriter err = spec.commandLine().getErr();
        Up up;
        try (var progress = new Progress(err)) {
            progress.say("starting");
            up = Up.start(
                    folder,
                    ports,
                    folder.cells(cells),
                    selectors,
                    settings,
                    new ServedCluster.Wanted(
                            own.map(OwnControlPlane::access)
                                    .or(() -> kubeconfig.map(file -> ApiAccess.of(file, context))),
                            allClaims ? ApiScope.ALL : ApiScope.CONFIGURED,
                            release -> gates.features(spec, release)),
                    objects.manifests(),
                    console.orElse(0));
        }
        return run(up, folder, own, objects.refused());
    }

    /** The port that was asked for, which must be free, else that of the last start, if it is. */
    private OptionalInt chosen(DataFolder folder, String name, String option, Optional<Integer> wanted) {
        if (wanted.isPresent()) {
            if (!Loopback.isFree(wanted.get())) {
                throw new RunFailure("%s %d is in use by another process: name another port, or none for a free one"
                        .formatted(option, wanted.get()));
            }
            return OptionalInt.of(wanted.get());
        }
        OptionalInt last = folder.port(name);
        if (last.isPresent() && !Loopback.isFree(last.getAsInt())) {
            spec.commandLine()
                    .getErr()
                    .println("the %s had port %d at the last start, which another process has now: it gets a new one"
                            .formatted(name, last.getAsInt()));
            return OptionalInt.empty();
        }
        return last;
    }

    private int run(Up up, DataFolder folder, Optional<OwnControlPlane> own, long refused) {
        Duration within = CLOSE_BROKEN_WITHIN;
        try {
            if (up.awaitReady(stop)) {
                announce(up.endpoint(), folder);
                say(up, folder, own, refused);
                up.stay(stop);
            }
            within = CLOSE_WITHIN;
            return Failures.ALL_GRANTED;
        } finally {
            close(up, within);
            folder.withdraw();
        }
    }

    private static void announce(Endpoint endpoint, DataFolder folder) {
        folder.keepPorts(
                Integer.parseInt(
                        endpoint.bootstrap().substring(endpoint.bootstrap().lastIndexOf(':') + 1)),
                port(endpoint.registry()),
                port(endpoint.console()));
        folder.announce(endpoint);
    }

    private static int port(URI url) {
        return url.getPort();
    }

    private void say(Up up, DataFolder folder, Optional<OwnControlPlane> own, long refused) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        List<Applied> applied = up.applied();
        applied.stream()
                .filter(each -> each.outcome() == Applied.Outcome.REFUSED)
                .forEach(each ->
                        err.println("%s %s refused: %s".formatted(each.kind().apiName(), each.key(), each.message())));
        out.println("claimstream is up");
        out.print(Up.where(up.endpoint(), folder.path()));
        if (up.cluster() instanceof ServedCluster.Server server) {
            out.println(
                    "  cluster   %s (Kubernetes %s)".formatted(server.services().url(), server.version()));
            server.release().map(gates::text).ifPresent(text -> out.println("  gates     " + text));
        }
        own.map(OwnControlPlane::text).ifPresent(out::println);
        if (!files.isEmpty()) {
            out.println("  applied   " + counts(applied, refused));
        }
        out.println();
        out.println("""
                From another terminal, for example:
                  ./claimstream get claims -A%1$s
                  %2$s
                  ./claimstream explain claim NAMESPACE/NAME%1$s
                Ctrl-C ends it; the next start goes on from here.""".formatted(data.again(), trying(up, own.isPresent())));
        out.flush();
    }

    private String trying(Up up, boolean isOwn) {
        if (isOwn) {
            return String.join("\n  ", OwnControlPlane.trying(allClaims));
        }
        return up.cluster() instanceof ServedCluster.Server
                ? "kubectl apply -f FILE"
                : "./claimstream apply -f FILE" + data.again();
    }

    /** @param refused objects that were not even tried */
    private static String counts(List<Applied> applied, long refused) {
        List<String> parts = new ArrayList<>();
        for (Applied.Outcome outcome : Applied.Outcome.values()) {
            long count =
                    applied.stream().filter(each -> each.outcome() == outcome).count()
                            + (outcome == Applied.Outcome.REFUSED ? refused : 0);
            if (count > 0) {
                parts.add(count + " " + outcome.text());
            }
        }
        return parts.isEmpty() ? "nothing: no object was found" : String.join(", ", parts);
    }

    /** In bounded time, also where a broker does not answer any more; whatever is open then ends with the process. */
    private void close(Up up, Duration within) {
        Thread closing = Thread.ofPlatform().daemon().name("close").start(up::close);
        try {
            if (!closing.join(within) && within.equals(CLOSE_WITHIN)) {
                spec.commandLine()
                        .getErr()
                        .println("claimstream up: something does not stop; it ends with this process");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
