package dev.claimstream.cli.standalone;

import dev.claimstream.cli.folder.ClusterKind;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.DataOption;
import dev.claimstream.cli.folder.DiskSpace;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.ProgressLine;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.observability.LogFile;
import dev.claimstream.process.access.AccessLogLine;
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;

/**
 * One run of {@code claimstream up} on a data folder. It restarts the services after the disk was full. Not thread-safe.
 */
public final class StandaloneSession {
    /** Time to close services that work. */
    public static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);

    private static final Duration CLOSE_BROKEN_TIMEOUT = Duration.ofSeconds(5);

    private final CommandSpec spec;
    private final DataFolder folder;
    private final SessionOptions options;
    private final CountDownLatch stop;

    /** Results of the objects of {@code -f}. */
    private Optional<StartupMessage.InitialObjects> initialObjects = Optional.empty();

    /** Endpoints of the last time when {@code up} was ready. */
    private Optional<Endpoint> lastEndpoint = Optional.empty();

    /**
     * The options of {@code up} that apply to each start.
     *
     * @param access the cluster of a kubeconfig; empty for a simulated cluster or a local control plane
     * @param samples telemetry of a simulated cluster
     */
    public record SessionOptions(
            PortOptions ports,
            Optional<Integer> cells,
            ClusterKind kind,
            Optional<ApiAccess> access,
            boolean allClaims,
            DataOption data,
            GateOptions gates,
            Optional<SampleFile> samples) {}

    /**
     * Creates a run.
     *
     * @param spec the command {@code up}, for its output
     * @param stop signalled to end the run
     */
    public StandaloneSession(CommandSpec spec, DataFolder folder, SessionOptions options, CountDownLatch stop) {
        this.spec = spec;
        this.folder = folder;
        this.options = options;
        this.stop = stop;
    }

    /**
     * Starts all services and runs them until {@code stop} is signalled.
     *
     * @param objects to apply at the first start
     * @throws RunFailure if the services do not start, or one of them stops by itself
     */
    public void run(RunSettings settings, Optional<ManifestInputs.ValidManifests> objects) throws InterruptedException {
        var selectors = new CelSelectors();
        selectors.verifyFunctions();
        var parameters = new StartParameters(settings, selectors, objects, true);
        var diskSpace = new DiskSpace(
                folder.path(), isControlPlane() ? DiskSpace.FOR_A_CONTROL_PLANE_MB : DiskSpace.FOR_A_START_MB);
        Optional<LogFile> reads = openReads(settings);
        try (var diskWait =
                new DiskSpaceWait(folder.path(), diskSpace, spec.commandLine().getErr(), stop)) {
            while (runOnce(parameters, diskWait) == ExitReason.DISK_FULL && diskWait.await(consolePort())) {
                parameters = parameters.forRestart(lastEndpoint.isEmpty());
            }
        } finally {
            folder.deleteEndpoint();
            reads.ifPresent(LogFile::close);
        }
    }

    /** Opens the file for the questions to history and simulator; empty if none of them is started. */
    private Optional<LogFile> openReads(RunSettings settings) {
        if (settings.services().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(LogFile.append(AccessLogLine.class.getPackageName(), folder.reads()));
        } catch (IOException e) {
            throw new RunFailure(
                    "%s cannot be written, %s, and --with logs every question there: correct its permissions"
                            .formatted(folder.reads(), FolderChecks.reason(e)));
        }
    }

    private boolean isControlPlane() {
        return options.kind() == ClusterKind.CONTROL_PLANE;
    }

    /** Returns the port at which users expect the console. */
    private OptionalInt consolePort() {
        return lastEndpoint
                .map(each -> OptionalInt.of(port(each.console())))
                .orElseGet(() -> folder.port(PortOptions.CONSOLE));
    }

    /**
     * The parameters of a start.
     *
     * @param objects applied first; empty if there are none
     */
    private record StartParameters(
            RunSettings settings,
            CelSelectors selectors,
            Optional<ManifestInputs.ValidManifests> objects,
            boolean isFirst) {
        /** Returns the parameters for a restart: objects are not applied again, and a finished rebuild is not repeated. */
        StartParameters forRestart(boolean isRebuildDue) {
            return new StartParameters(
                    settings.withRebuild(settings.rebuild() && isRebuildDue), selectors, Optional.empty(), false);
        }
    }

    /** Why the services stopped. */
    private enum ExitReason {
        STOPPED,
        DISK_FULL
    }

    private ExitReason runOnce(StartParameters parameters, DiskSpaceWait diskWait) throws InterruptedException {
        if (!isControlPlane()) {
            return start(parameters, diskWait, Optional.empty());
        }
        Optional<LocalControlPlane> started =
                tryStart(parameters, diskWait, () -> LocalControlPlane.start(folder.controlPlane()));
        if (started.isEmpty()) {
            return ExitReason.DISK_FULL;
        }
        try (var own = started.get()) {
            return start(parameters, diskWait, Optional.of(own));
        }
    }

    private ExitReason start(StartParameters parameters, DiskSpaceWait diskWait, Optional<LocalControlPlane> own)
            throws InterruptedException {
        StandalonePorts ports = options.ports().chooseServers(folder);
        OptionalInt console = options.ports().chooseConsole(folder);
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
                            folder.cells(options.cells()),
                            parameters.selectors(),
                            parameters.settings(),
                            new ServedCluster.ClusterSelection(
                                    options.kind(),
                                    own.map(LocalControlPlane::access).or(options::access),
                                    options.allClaims() ? ApiScope.ALL : ApiScope.CONFIGURED,
                                    release -> options.gates().features(spec, release)),
                            parameters.objects().stream()
                                    .flatMap(each -> each.manifests().stream())
                                    .toList(),
                            console.orElse(0))));
        }
        if (started.isEmpty()) {
            threadGroup.closeBroken(() -> {}, () -> diskWait.check(consolePort()), stop);
            return ExitReason.DISK_FULL;
        }
        StandaloneProcess up = started.get();
        if (parameters.isFirst()) {
            initialObjects =
                    parameters.objects().map(each -> new StartupMessage.InitialObjects(up.applied(), each.rejected()));
        }
        return serve(threadGroup, up, own, diskWait);
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

    private ExitReason serve(
            StandaloneThreads threadGroup,
            StandaloneProcess up,
            Optional<LocalControlPlane> own,
            DiskSpaceWait diskWait)
            throws InterruptedException {
        CloseAction closing = () -> close(threadGroup, up, CLOSE_BROKEN_TIMEOUT);
        try {
            if (up.awaitReady(stop)) {
                Optional<SamplePublisher> telemetry =
                        options.samples().map(samples -> SamplePublisher.start(samples, up.endpoint()));
                try {
                    publish(up, own);
                    up.awaitStop(stop);
                } finally {
                    telemetry.ifPresent(SamplePublisher::close);
                }
            }
            closing = () -> close(threadGroup, up, CLOSE_TIMEOUT);
            return ExitReason.STOPPED;
        } catch (RuntimeException e) {
            if (!diskWait.isCausedBy(e)) {
                throw e;
            }
            diskWait.report();
            up.reportDiskWait(diskWait::text);
            closing = () -> threadGroup.closeBroken(up::closeBroken, () -> diskWait.check(consolePort()), stop);
            return ExitReason.DISK_FULL;
        } finally {
            closing.run();
        }
    }

    private interface CloseAction {
        void run() throws InterruptedException;
    }

    private void publish(StandaloneProcess up, Optional<LocalControlPlane> own) {
        Endpoint now = up.endpoint();
        folder.savePorts(
                Integer.parseInt(now.bootstrap().substring(now.bootstrap().lastIndexOf(':') + 1)),
                port(now.registry()),
                port(now.console()));
        folder.publishEndpoint(now);
        var greeting = new StartupMessage(
                spec.commandLine().getOut(),
                spec.commandLine().getErr(),
                folder,
                options.data().asOption(),
                options.gates(),
                options.allClaims());
        lastEndpoint.ifPresentOrElse(
                before -> greeting.printAfterRestart(up, before), () -> greeting.print(up, own, initialObjects));
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
