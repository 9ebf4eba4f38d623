package dev.claimstream.cli;

import dev.claimstream.cli.console.ClusterOption;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.doctor.ServicesInspector;
import dev.claimstream.cli.doctor.ServicesOption;
import dev.claimstream.cli.doctor.ServicesReport;
import dev.claimstream.cli.doctor.StandaloneInspector;
import dev.claimstream.cli.doctor.StandaloneReport;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.output.JsonLine;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.cli.output.Terminal;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiClusterExamination;
import dev.claimstream.kubernetes.doctor.ClusterDiagnosis;
import dev.claimstream.kubernetes.doctor.ClusterFacts;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Checks whether cluster, brokers and services meet the requirements of Claimstream. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        header =
                "Check that a Kubernetes cluster meets the requirements of Claimstream; print a remedy for each problem.",
        description = {
            "",
            "Checks the cluster of --kubeconfig, or the cluster that a running 'claimstream up' serves, and that 'up' if one"
                    + " runs. Prints a line for each check: ok, warning or failed, the observation, and the remedy. Checks that"
                    + " need an administrator share one line.",
            "",
            "For individually started services, it checks the brokers, topics, replication and ACLs of --bootstrap, the"
                    + " schemas of --registry, the certificates of all servers, the health, versions, lag and alarms that"
                    + " --console and each --health report, and the cluster of --kubeconfig or --in-cluster.",
            "",
            "It only reads and makes dry runs; only --make-claim creates an object, a temporary claim. The kubeconfig"
                    + " of an administrator allows most checks: doctor then impersonates writer and watcher to verify their permissions.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no check failed; there may be warnings", "1:a check failed", "2:the command line is invalid"
        },
        footer = {
            "",
            "Examples:",
            "  claimstream doctor --kubeconfig ~/.kube/config --make-claim",
            "  claimstream doctor --bootstrap kafka-0:9092,kafka-1:9092 \\",
            "    --registry http://registry:8081 --console http://127.0.0.1:8410 \\",
            "    --health http://127.0.0.1:9101,http://127.0.0.1:9102",
            "  claimstream doctor -o json"
        })
final class DoctorCommand implements Callable<Integer> {
    /** Exit code of an invalid command line. */
    static final int USAGE = 2;

    @Mixin
    private ClusterOption cluster;

    @Option(
            names = "--in-cluster",
            description = "Check the cluster in which doctor runs as a pod, as the service account of this pod.")
    private boolean inCluster;

    @Option(
            names = "--make-claim",
            description =
                    "Create a temporary claim in the namespace claimstream if every claim is allocated, to check who may"
                            + " write its status. The claim is never allocated.")
    private boolean makeClaim;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text, or json with one object per line.")
    private String output;

    @Mixin
    private ConsoleOption console;

    @Mixin
    private ServicesOption services;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private DoctorCommand() {}

    @Override
    public Integer call() {
        if (!output.equals("text") && !output.equals("json")) {
            throw wrong("--output %s is not known: use text or json".formatted(output));
        }
        Optional<ServicesInspector> oneByOne = separateServices();
        Optional<Path> folder = oneByOne.isPresent() ? Optional.empty() : folder();
        Optional<Endpoint> up = folder.flatMap(DataFolder::publishedEndpoint);
        Optional<ApiAccess> access = access(folder, up);
        List<DoctorFinding> findings = new ArrayList<>();
        boolean allClaims = up.flatMap(Endpoint::cluster)
                .filter(Endpoint.Cluster::allClaims)
                .isPresent();
        Optional<ServicesReport> separate = oneByOne.map(ServicesInspector::inspect);
        Optional<StandaloneReport> standalone = oneByOne.isPresent() ? Optional.empty() : standalone(folder, up);
        boolean isObserving = separate.map(ServicesReport::isObserving).orElse(false)
                || standalone.map(StandaloneReport::isObserving).orElse(false);
        Function<ClusterFacts, List<DoctorFinding>> diagnosis = isObserving
                ? ClusterDiagnosis::ofObserved
                : allClaims ? ClusterDiagnosis::ofAllClaims : ClusterDiagnosis::of;
        Optional<String> id = access.flatMap(each -> clusterFindings(each, diagnosis, findings));
        findings.addAll(separate.map(ServicesReport::findings)
                .or(() -> standalone.map(report -> report.findings(id)))
                .orElseGet(() -> missingFindings(folder, up)));
        separate.ifPresent(report -> oneByOne.ifPresent(inspector -> findings.addAll(inspector.securityFindings(
                report,
                access.map(each -> URI.create(each.server())),
                InstantSource.system().instant()))));
        PrintWriter out = spec.commandLine().getOut();
        if (output.equals("json")) {
            findings.forEach(each -> out.println(json(each)));
        } else {
            List<DoctorFinding> lines = FindingText.combined(findings);
            out.print(FindingText.of(lines, Terminal.width()));
            out.println(summary(lines));
        }
        out.flush();
        if (access.isEmpty()) {
            note("no cluster was checked: --kubeconfig is missing");
        } else if (oneByOne.isEmpty() && up.isEmpty() && !console.isFolderNamed()) {
            note("no 'claimstream up' was checked: "
                    + folder.map(each -> "none runs on " + each)
                            .orElseGet(() -> cluster.unservedText()
                                    + "; name the folder of the one that serves it with --data"));
        }
        return findings.stream().anyMatch(each -> each.status() == FindingStatus.FAILED)
                ? ExitCodes.FAILED
                : ExitCodes.SUCCESS;
    }

    /** Returns the data folder of the {@code up} to check; empty if those that run do not serve the cluster. */
    private Optional<Path> folder() {
        try {
            return cluster.folder(console);
        } catch (ClusterFault e) {
            return Optional.empty(); // the finding on the server reports why
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private void note(String what) {
        spec.commandLine().getErr().println(what);
    }

    /** Returns the inspector of individually started services; empty if the command is about an {@code up}. */
    private Optional<ServicesInspector> separateServices() {
        if (services.areNamed() && console.isFolderNamed()) {
            throw wrong("--data is for 'claimstream up', and --bootstrap, --registry and --health are for individually"
                    + " started services: leave one or the other out");
        }
        Optional<URI> address = console.address();
        try {
            return address.isPresent() || services.areNamed()
                    ? Optional.of(services.inspector(address))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Returns access to the cluster. It is optional if the command checks individually started services. */
    private Optional<ApiAccess> access(Optional<Path> folder, Optional<Endpoint> up) {
        try {
            Optional<ApiAccess> access = inCluster
                    ? Optional.of(ApiAccess.inCluster())
                    : cluster.access().or(() -> up.flatMap(Endpoint::cluster).map(Endpoint.Cluster::access));
            if (access.isEmpty() && folder.isPresent()) {
                throw console.isFolderNamed() && up.isEmpty()
                        ? new RunFailure(ConsoleClient.notRunningMessage(folder.get()))
                        : wrong("missing cluster: name --kubeconfig FILE, or --data DIR of a running"
                                + " 'claimstream up --kubeconfig'");
            }
            access.ifPresent(ApiAccess::check);
            return access;
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /** Adds the findings on the cluster and returns the cluster id; empty if the API server does not respond. */
    private Optional<String> clusterFindings(
            ApiAccess access, Function<ClusterFacts, List<DoctorFinding>> diagnosis, List<DoctorFinding> findings) {
        try {
            ClusterFacts facts = ApiClusterExamination.of(access, makeClaim, InstantSource.system(), this::note);
            findings.addAll(diagnosis.apply(facts));
            return facts.id().value();
        } catch (ClusterFault e) {
            findings.add(DoctorFinding.failed(
                    "server", e.problem(), e.remedy().isEmpty() ? "check that it runs: kubectl version" : e.remedy()));
            return Optional.empty();
        }
    }

    private Optional<StandaloneReport> standalone(Optional<Path> folder, Optional<Endpoint> up) {
        return folder.flatMap(
                path -> up.map(endpoint -> new StandaloneInspector(endpoint, path, console.asOption()).inspect()));
    }

    /** Returns the finding on an {@code up} that is named and does not run. */
    private List<DoctorFinding> missingFindings(Optional<Path> folder, Optional<Endpoint> up) {
        return console.isFolderNamed() && up.isEmpty()
                ? List.of(DoctorFinding.failed(
                        "up",
                        "no 'claimstream up' runs on "
                                + folder.map(Path::toString).orElse(""),
                        "start it with 'claimstream up%s'".formatted(console.asOption())))
                : List.of();
    }

    /** Returns the number of findings of each status. */
    static String summary(List<DoctorFinding> findings) {
        long warnings = count(findings, FindingStatus.WARNING);
        return "%d ok, %d %s, %d failed"
                .formatted(
                        count(findings, FindingStatus.OK),
                        warnings,
                        warnings == 1 ? "warning" : "warnings",
                        count(findings, FindingStatus.FAILED));
    }

    private static long count(List<DoctorFinding> findings, FindingStatus status) {
        return findings.stream().filter(each -> each.status() == status).count();
    }

    private static String json(DoctorFinding finding) {
        return new JsonLine()
                .text("check", finding.check())
                .text("verdict", finding.status().text())
                .text("seen", FindingText.oneLine(finding.observation()))
                .text("remedy", FindingText.oneLine(finding.remedy()))
                .toString();
    }
}
