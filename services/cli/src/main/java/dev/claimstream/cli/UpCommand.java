package dev.claimstream.cli;

import dev.claimstream.cli.folder.ClusterKind;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.DataOption;
import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.cli.standalone.LocalControlPlane;
import dev.claimstream.cli.standalone.OptionalService;
import dev.claimstream.cli.standalone.PortOptions;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.cli.standalone.SampleFile;
import dev.claimstream.cli.standalone.StandaloneSession;
import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
                    + " claim is what the writer committed. Nothing runs the pods, and no controller creates pods of workloads"
                    + " such as Deployments: pass the pods themselves.",
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
            "  claimstream up -f deploy/examples/mixed-accelerators --telemetry deploy/examples/mixed-accelerators/telemetry.txt",
            "  claimstream up --with history,simulator",
            "  claimstream up --kubeconfig writer.kubeconfig",
            "  claimstream up --kubeconfig reader.kubeconfig --observe-only",
            "  claimstream up --control-plane"
        })
final class UpCommand implements Callable<Integer> {
    private static final String OPTION_KUBECONFIG = "--kubeconfig";
    private static final String OPTION_CONTROL_PLANE = "--control-plane";
    private static final String OPTION_OBSERVE_ONLY = "--observe-only";
    private static final String VARIABLE_OBSERVE_ONLY = "CLAIMSTREAM_OBSERVE_ONLY";
    private static final String OPTION_CELLS = "--cells";
    private static final String OPTION_THREADS = "--threads";
    private static final String OPTION_WITH = "--with";
    private static final int PATH_NOT_FOUND = 2;

    /** The release that locks the fewest gates. A gate may still be rejected when the release of the server is known. */
    private static final KubernetesVersion OLDEST = KubernetesVersion.V1_36;

    private static final int CELLS_MAX = 64;

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
            names = OPTION_OBSERVE_ONLY,
            description =
                    "With --kubeconfig: kube-scheduler allocates, and Claimstream decides in parallel, writes nothing to"
                            + " the cluster, and reports differences (claimstream differences). A kubeconfig that may only get,"
                            + " list and watch is enough, and the policies of deploy/policies must not be installed."
                            + " Default: $CLAIMSTREAM_OBSERVE_ONLY.")
    private boolean observeOnlyOption;

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
            names = OPTION_WITH,
            paramLabel = "SERVICE",
            split = ",",
            description =
                    "Also start these services, for views of the console: history (usage over time, past holders),"
                            + " simulator (what-if).")
    private List<String> services = new ArrayList<>();

    @Option(
            names = "--rebuild",
            description =
                    "First rebuild the state of the allocator from the public topics and its recorded decisions, if it reports"
                            + " that this is needed. Allocated claims stay allocated.")
    private boolean rebuild;

    @Mixin
    private PortOptions ports;

    @Mixin
    private DataOption data;

    @Mixin
    private GateOptions gates;

    @Mixin
    private CoolDownOption coolDown;

    @Mixin
    private TelemetryOption telemetry;

    @Mixin
    private DecisionLogOption decisionLines;

    @Mixin
    private ArchiveOption archive;

    @Spec
    private CommandSpec spec;

    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private UpCommand() {}

    @Override
    public Integer call() {
        decisionLines.configure(spec);
        archive.configure(spec);
        RunSettings settings = RunSettings.checked(
                        spec,
                        policy,
                        RunSettings.defaults().searchStepsMax(),
                        gates.features(spec, hasApiServer() ? OLDEST : KubernetesVersion.NEWEST))
                .withRebuild(rebuild)
                .withThreads(threads)
                .withCoolDown(coolDown.of(spec, hasApiServer()))
                .withBinding(hasApiServer())
                .withObserveOnly(isObserveOnly())
                .withServices(optionalServices());
        ports.check();
        checkCount(OPTION_CELLS, cells);
        checkCount(OPTION_THREADS, threads);
        checkCombinations();
        Optional<SampleFile> samples = telemetry.samples(spec, hasApiServer());
        List<String> missing = ManifestInputs.missing(files);
        if (!missing.isEmpty()) {
            missing.forEach(each -> spec.commandLine().getErr().println("claimstream up: -f " + each));
            return PATH_NOT_FOUND;
        }
        Path path = data.folderFor(clusterKind());
        DataFolder.requireKind(path, clusterKind());
        if (controlPlane) {
            LocalControlPlane.ControlPlaneFiles.find();
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopBySignal, "stop"));
        try (var folder = DataFolder.open(path)) {
            return run(folder, settings, samples);
        } finally {
            closed.countDown();
        }
    }

    private Set<OptionalService> optionalServices() {
        Set<OptionalService> wanted = EnumSet.noneOf(OptionalService.class);
        for (String name : services) {
            wanted.add(OptionalService.named(name)
                    .orElseThrow(() -> new ParameterException(
                            spec.commandLine(), "%s %s: use history or simulator".formatted(OPTION_WITH, name))));
        }
        return wanted;
    }

    private boolean hasApiServer() {
        return kubeconfig.isPresent() || controlPlane;
    }

    /** Whether option or variable is set. A variable that is not {@code true} or {@code false} is an error. */
    private boolean isObserveOnly() {
        String variable =
                Optional.ofNullable(System.getenv(VARIABLE_OBSERVE_ONLY)).orElse("false");
        if (!variable.equals("true") && !variable.equals("false")) {
            throw new ParameterException(
                    spec.commandLine(), "%s is %s: use true or false".formatted(VARIABLE_OBSERVE_ONLY, variable));
        }
        return observeOnlyOption || variable.equals("true");
    }

    private ClusterKind clusterKind() {
        if (controlPlane) {
            return ClusterKind.CONTROL_PLANE;
        }
        return kubeconfig.isPresent() ? ClusterKind.KUBERNETES : ClusterKind.IN_MEMORY;
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
        if (isObserveOnly() && kubeconfig.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--observe-only needs --kubeconfig, because kube-scheduler allocates in a cluster without the policies: add that option");
        }
        if (isObserveOnly() && cells.orElse(1) > 1) {
            throw new ParameterException(
                    spec.commandLine(), "--observe-only works with one cell: leave out --cells " + cells.orElse(1));
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
                boolean isClosed = closed.await(StandaloneSession.CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
                Runtime.getRuntime().halt(isClosed ? ExitCodes.SUCCESS : ExitCodes.FAILED);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private int run(DataFolder folder, RunSettings settings, Optional<SampleFile> samples) {
        Optional<ManifestInputs.ValidManifests> objects = files.isEmpty()
                ? Optional.empty()
                : Optional.of(ManifestInputs.validManifests(
                        files,
                        recursive,
                        WorkloadTreatment.IGNORED,
                        new ExpressionValidator(settings.features()),
                        System.in,
                        spec.commandLine().getErr()));
        var options = new StandaloneSession.SessionOptions(
                ports,
                cells,
                clusterKind(),
                kubeconfig.map(file -> ApiAccess.of(file, context)),
                allClaims || isObserveOnly(),
                data,
                gates,
                samples);
        try {
            new StandaloneSession(spec, folder, options, stop).run(settings, objects);
            return ExitCodes.SUCCESS;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCodes.FAILED;
        }
    }
}
