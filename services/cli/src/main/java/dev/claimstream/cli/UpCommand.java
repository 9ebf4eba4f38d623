package dev.claimstream.cli;

import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.manifests.Manifest;
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
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Starts all services and runs until it is stopped. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        header = "Start a broker, a schema registry and all services in this process, and run until Ctrl-C.",
        description = {
            "",
            "Other commands work on it from another terminal: apply, delete, get, explain, watch, status. Producers from"
                    + " outside can write to its topics. Its state is kept in the data folder; the next start there"
                    + " continues where this one ended, also after a crash. If the disk is full while it runs, it waits, and"
                    + " continues by itself once there is free space.",
            "",
            "Without --kubeconfig and --control-plane it serves a simulated cluster, which does only this: applied objects get uid and"
                    + " version, pods with templates get claims, deleting a pod releases its claims, the status of a"
                    + " claim is what the writer committed. Nothing runs the pods.",
            "",
            "A claim of the cluster is allocated only while a pod that has not finished uses it, as in Kubernetes; without"
                    + " such a pod it is pending as NoConsumer. Claims of other producers are allocated at once.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:it was stopped by Ctrl-C or SIGTERM",
            "1:it did not start, or a part of it ended: start it again",
            "2:a path of -f does not exist; nothing was started"
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
    private static final String CONSOLE = "console";
    private static final int PATH_NOT_FOUND = 2;

    /** The release that locks the fewest gates. A gate may still be rejected when the release of the server is known. */
    private static final KubernetesVersion OLDEST = KubernetesVersion.V1_36;

    private static final int CELLS_MAX = 64;
    private static final int PORT_MAX = 65_535;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration CLOSE_BROKEN_TIMEOUT = Duration.ofSeconds(5);

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "Objects to apply at the start: a file, a directory or - for standard input.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Also read subdirectories.")
    private boolean recursive;

    @Option(
            names = OPTION_KUBECONFIG,
            paramLabel = "FILE",
            description = "Serve the cluster of this kubeconfig instead of a simulated cluster."
                    + " Change its objects with kubectl. Under the policies of deploy/policies its user must be the"
                    + " writer; deploy/policies/README.md describes how to create such a file.")
    private Optional<Path> kubeconfig = Optional.empty();

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "Context of the kubeconfig. Default: its current context.")
    private Optional<String> context = Optional.empty();

    @Option(
            names = OPTION_CONTROL_PLANE,
            description = "Start a Kubernetes control plane with four simulated nodes and the"
                    + " policies of deploy/policies, and serve it: to try everything with kubectl. Needs Go once, for"
                    + " platform/testbed/build control-plane.")
    private boolean controlPlane;

    @Option(
            names = "--all-claims",
            description =
                    "With --kubeconfig or --control-plane: allocate every claim. Default: only claims of the device classes that the"
                            + " ConfigMap claimstream/claimstream-managed names; without it, none. The policies keep"
                            + " kube-scheduler only from the drivers that it names: name the drivers of all classes there.")
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
                    "Number of cells that the nodes are divided into, each with its own log and allocator; fixed at the first start"
                            + " on a folder. Default: 1, which is the fastest up to very large clusters.")
    private Optional<Integer> cells = Optional.empty();

    @Option(
            names = OPTION_THREADS,
            paramLabel = "N",
            description =
                    "Number of threads for the cells and their router; more threads than cells and router are idle."
                            + " Default: claimstream.allocator.threads, which is 1.")
    private Optional<Integer> threads = Optional.empty();

    @Option(
            names = "--rebuild",
            description =
                    "First rebuild the state of the allocator from the public topics and its recorded decisions, if it reports"
                            + " that this is needed. Allocated claims stay allocated.")
    private boolean rebuild;

    @Mixin
    private DataOption data;

    @Mixin
    private GateOptions gates;

    @Mixin
    private CoolDownOption coolDown;

    @Mixin
    private DecisionLogOption decisionLines;

    @Spec
    private CommandSpec spec;

    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Results of the objects of {@code -f}. */
    private Optional<StartupMessage.InitialObjects> objects = Optional.empty();

    /** Endpoints of the last time when {@code up} was ready. */
    private Optional<Endpoint> lastEndpoint = Optional.empty();

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private UpCommand() {}

    @Override
    public Integer call() {
        decisionLines.configure(spec);
        RunSettings settings = RunSettings.checked(
                        spec,
                        policy,
                        RunSettings.defaults().searchStepsMax(),
                        gates.features(spec, hasApiServer() ? OLDEST : KubernetesVersion.NEWEST))
                .withRebuild(rebuild)
                .withThreads(threads)
                .withCoolDown(coolDown.of(spec, hasApiServer()))
                .withBinding(hasApiServer());
        check(OPTION_PORT, port);
        check("--broker-port", brokerPort);
        check("--registry-port", registryPort);
        checkCount(OPTION_CELLS, cells);
        checkCount(OPTION_THREADS, threads);
        checkCombinations();
        List<String> missing = ManifestInputs.missing(files);
        if (!missing.isEmpty()) {
            missing.forEach(each -> spec.commandLine().getErr().println("claimstream up: -f " + each));
            return PATH_NOT_FOUND;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopBySignal, "stop"));
        try (var folder = DataFolder.open(data.folder())) {
            return runOnFolder(folder, settings);
        } finally {
            closed.countDown();
        }
    }

    private boolean hasApiServer() {
        return kubeconfig.isPresent() || controlPlane;
    }

    private void checkCombinations() {
        if (kubeconfig.isPresent() && controlPlane) {
            throw new ParameterException(
                    spec.commandLine(), "--control-plane and --kubeconfig name two clusters: leave one out");
        }
        if (hasApiServer() && !files.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "-f cannot be used with %s: leave it out, and change objects with kubectl"
                            .formatted(controlPlane ? OPTION_CONTROL_PLANE : OPTION_KUBECONFIG));
        }
        if (!hasApiServer() && allClaims) {
            throw new ParameterException(
                    spec.commandLine(), "--all-claims needs --kubeconfig or --control-plane: add one of them");
        }
        if (kubeconfig.isEmpty() && context.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(), "--context %s needs --kubeconfig: add that option".formatted(context.get()));
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
                    spec.commandLine(), "%s %d is not a port: use 1 to %d".formatted(option, number, PORT_MAX));
        });
    }

    /** Checks the number of cells or threads. Threads in excess of cells and router would be idle. */
    private void checkCount(String option, Optional<Integer> wanted) {
        wanted.filter(number -> number < 1 || number > CELLS_MAX).ifPresent(number -> {
            throw new ParameterException(spec.commandLine(), "%s %d: use 1 to %d".formatted(option, number, CELLS_MAX));
        });
    }

    /** Handles a signal: exits with 0 after everything is closed. If the process is exiting by itself, it returns at once. */
    private void stopBySignal() {
        if (closed.getCount() > 0) {
            stop.countDown();
            try {
                boolean isClosed = closed.await(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
                Runtime.getRuntime().halt(isClosed ? ExitCodes.SUCCESS : ExitCodes.FAILED);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private int runOnFolder(DataFolder folder, RunSettings settings) {
        PrintWriter err = spec.commandLine().getErr();
        ManifestInputs.ValidManifests objects = files.isEmpty()
                ? ManifestInputs.ValidManifests.NONE
                : ManifestInputs.validManifests(
                        files, recursive, new ExpressionValidator(settings.features()), System.in, err);
        var selectors = new CelSelectors();
        selectors.verifyFunctions();
        var parameters = new StartParameters(settings, selectors, objects.manifests(), true);
        var diskSpace = new DiskSpace(
                folder.path(), controlPlane ? DiskSpace.FOR_A_CONTROL_PLANE_MB : DiskSpace.FOR_A_START_MB);
        try (var diskWait = new DiskSpaceWait(folder.path(), diskSpace, err, stop)) {
            while (runOnce(folder, parameters, diskWait, objects.rejected()) == ExitReason.DISK_FULL
                    && diskWait.await(consolePort(folder))) {
                parameters = parameters.forRestart(lastEndpoint.isEmpty());
            }
            return ExitCodes.SUCCESS;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCodes.FAILED;
        } finally {
            folder.deleteEndpoint();
        }
    }

    /** Returns the port at which users expect the console. */
    private OptionalInt consolePort(DataFolder folder) {
        return lastEndpoint.map(each -> OptionalInt.of(port(each.console()))).orElseGet(() -> folder.port(CONSOLE));
    }

    /**
     * The parameters of a start.
     *
     * @param objects applied first
     */
    private record StartParameters(
            RunSettings settings, CelSelectors selectors, List<Manifest> objects, boolean isFirst) {
        /** Returns the parameters for a restart: objects are not applied again, and a finished rebuild is not repeated. */
        StartParameters forRestart(boolean isRebuildDue) {
            return new StartParameters(
                    settings.withRebuild(settings.rebuild() && isRebuildDue), selectors, List.of(), false);
        }
    }

    /** Why the services stopped. */
    private enum ExitReason {
        STOPPED,
        DISK_FULL
    }

    private ExitReason runOnce(DataFolder folder, StartParameters parameters, DiskSpaceWait diskWait, long refused)
            throws InterruptedException {
        if (!controlPlane) {
            return start(folder, parameters, diskWait, Optional.empty(), refused);
        }
        Optional<LocalControlPlane> started = tryStart(
                parameters,
                diskWait,
                () -> LocalControlPlane.start(folder.path().resolve("control-plane")));
        if (started.isEmpty()) {
            return ExitReason.DISK_FULL;
        }
        try (var own = started.get()) {
            return start(folder, parameters, diskWait, Optional.of(own), refused);
        }
    }

    private ExitReason start(
            DataFolder folder,
            StartParameters parameters,
            DiskSpaceWait diskWait,
            Optional<LocalControlPlane> own,
            long refused)
            throws InterruptedException {
        var ports = new StandalonePorts(
                choosePort(folder, "broker", "--broker-port", brokerPort),
                choosePort(folder, "registry", "--registry-port", registryPort));
        OptionalInt console = choosePort(folder, CONSOLE, OPTION_PORT, port);
        var threadGroup = new StandaloneThreads();
        Optional<StandaloneProcess> started;
        try (var progress = new ProgressLine(spec.commandLine().getErr())) {
            progress.update("starting");
            started = tryStart(
                    parameters,
                    diskWait,
                    () -> threadGroup.start(() -> StandaloneProcess.start(
                            folder,
                            ports,
                            folder.cells(cells),
                            parameters.selectors(),
                            parameters.settings(),
                            new ServedCluster.ClusterSelection(
                                    own.map(LocalControlPlane::access)
                                            .or(() -> kubeconfig.map(file -> ApiAccess.of(file, context))),
                                    allClaims ? ApiScope.ALL : ApiScope.CONFIGURED,
                                    release -> gates.features(spec, release)),
                            parameters.objects(),
                            console.orElse(0))));
        }
        if (started.isEmpty()) {
            threadGroup.closeBroken(() -> {}, () -> diskWait.check(consolePort(folder)), stop);
            return ExitReason.DISK_FULL;
        }
        StandaloneProcess up = started.get();
        if (parameters.isFirst() && !files.isEmpty()) {
            objects = Optional.of(new StartupMessage.InitialObjects(up.applied(), refused));
        }
        return run(threadGroup, up, folder, own, diskWait);
    }

    /** Starts something; empty if the disk is full. At the first start a full disk is an error. */
    private static <T> Optional<T> tryStart(StartParameters parameters, DiskSpaceWait diskWait, Supplier<T> start) {
        try {
            return Optional.of(start.get());
        } catch (RuntimeException e) {
            if (parameters.isFirst() || !diskWait.isCausedBy(e)) {
                throw e;
            }
            diskWait.report();
            return Optional.empty();
        }
    }

    /** Returns the port of the option, which must be free; else the port of the last start if it is free. */
    private OptionalInt choosePort(DataFolder folder, String name, String option, Optional<Integer> wanted) {
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
                    .println(
                            "port %2$d of the %1$s, from the last start, is in use by another process: the %1$s gets a new port"
                                    .formatted(name, last.getAsInt()));
            return OptionalInt.empty();
        }
        return last;
    }

    private ExitReason run(
            StandaloneThreads threadGroup,
            StandaloneProcess up,
            DataFolder folder,
            Optional<LocalControlPlane> own,
            DiskSpaceWait diskWait)
            throws InterruptedException {
        CloseAction closing = () -> close(threadGroup, up, CLOSE_BROKEN_TIMEOUT);
        try {
            if (up.awaitReady(stop)) {
                publish(up, folder, own);
                up.awaitStop(stop);
            }
            closing = () -> close(threadGroup, up, CLOSE_TIMEOUT);
            return ExitReason.STOPPED;
        } catch (RuntimeException e) {
            if (!diskWait.isCausedBy(e)) {
                throw e;
            }
            diskWait.report();
            up.reportDiskWait(diskWait::text);
            closing = () -> threadGroup.closeBroken(up::closeBroken, () -> diskWait.check(consolePort(folder)), stop);
            return ExitReason.DISK_FULL;
        } finally {
            closing.run();
        }
    }

    private interface CloseAction {
        void run() throws InterruptedException;
    }

    private void publish(StandaloneProcess up, DataFolder folder, Optional<LocalControlPlane> own) {
        Endpoint now = up.endpoint();
        folder.savePorts(
                Integer.parseInt(now.bootstrap().substring(now.bootstrap().lastIndexOf(':') + 1)),
                port(now.registry()),
                port(now.console()));
        folder.publishEndpoint(now);
        var greeting = new StartupMessage(
                spec.commandLine().getOut(), spec.commandLine().getErr(), folder, data.asOption(), gates, allClaims);
        lastEndpoint.ifPresentOrElse(
                before -> greeting.printAfterRestart(up, before), () -> greeting.print(up, own, objects));
        lastEndpoint = Optional.of(now);
    }

    private static int port(URI url) {
        return url.getPort();
    }

    /** Closes in bounded time, even if a broker does not respond. Resources that are still open are freed at process exit. */
    private void close(StandaloneThreads threadGroup, StandaloneProcess up, Duration within)
            throws InterruptedException {
        if (!threadGroup.close(up::close, within) && within.equals(CLOSE_TIMEOUT)) {
            spec.commandLine().getErr().println("claimstream up: some threads do not stop; they end with this process");
        }
    }
}
