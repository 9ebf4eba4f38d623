package dev.claimstream.cli;

import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.ClaimFiles;
import dev.claimstream.cli.output.OutputFormat;
import dev.claimstream.cli.output.PendingPods;
import dev.claimstream.cli.output.SummaryText;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.cli.standalone.StandaloneRun;
import dev.claimstream.cli.standalone.StandaloneRunner;
import dev.claimstream.console.ClaimResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Allocates the claims of manifests once and prints the result. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        header = "Allocate the claims of manifests over a Kafka broker in this process, print the results, exit.",
        description = {
            "",
            "Reads ResourceSlice, DeviceClass, ResourceClaim, ResourceClaimTemplate, Pod, PodGroup, Node, Namespace"
                    + " and DeviceTaintRule as kubectl get -o yaml prints them (resource.k8s.io/v1, v1beta2, v1beta1; v1).",
            "Creates the pods that a Deployment, ReplicaSet, StatefulSet, Job or JobSet has at the start, named NAME-0 and"
                    + " so on, at most 10000 in all. If the files contain a pod of the workload, its pods are those of"
                    + " the files. Names other kinds whose pods use claims (DaemonSet, CronJob, LeaderWorkerSet, MPIJob,"
                    + " RayCluster, Workflow): add their pods to the files.",
            "Claims with an allocation stay allocated, with two exceptions. If every pod that a claim is"
                    + " reserved for has finished, the claim is named and released. If a pod that is not bound cannot use"
                    + " the node of such an allocation, no other pod uses the claim, and the pod fits elsewhere, the"
                    + " claim is deallocated and allocated again, as kube-scheduler does. The results go to standard"
                    + " output, all other text to standard error.",
            "Claims without a pod are allocated too; a cluster, and up, allocate a claim only while a pod uses it.",
            "",
            "The claim for extended resources that a pod requests and a DeviceClass offers is created by"
                    + " kube-scheduler, not by this command. It names such pods, and whether they would fit.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every claim is allocated",
            "1:an input was invalid (valid inputs are processed and printed anyway), or the command failed",
            "3:some claims are pending"
        },
        footer = {"", "Example: claimstream run deploy/examples/mixed-accelerators"})
final class RunCommand implements Callable<Integer> {
    @Mixin
    private ManifestInputs inputs;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description =
                    "table, wide, name, yaml or json. yaml and json print the claims with the status that would be"
                            + " committed; a pending claim has its reason in the annotations"
                            + " claimstream.dev/condition-{type,status,reason,message}.")
    private String output;

    @Option(names = "--out", paramLabel = "DIR", description = "Also write every claim to a file of its own in DIR.")
    private Optional<Path> out = Optional.empty();

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            defaultValue = "best-fit",
            description =
                    "best-fit (default) packs; first-fit makes the choice of kube-scheduler on the first node that fits.")
    private String policy;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keep the broker's data in DIR, which must be empty or missing. Default: a temporary folder.")
    private Optional<Path> data = Optional.empty();

    @Option(
            names = "--search-steps",
            paramLabel = "N",
            defaultValue = "200000",
            description = "Search budget on one node; a claim that exhausts it is pending. Default: ${DEFAULT-VALUE}.")
    private long searchSteps;

    @Mixin
    private GateOptions gates;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private RunCommand() {}

    @Override
    public Integer call() throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        OutputFormat format = checkedFormat();
        RunSettings settings = RunSettings.checked(spec, policy, searchSteps, gates.features(spec));
        data.ifPresent(folder ->
                FolderChecks.requireEmpty("--data", folder)); // records of an earlier run would mix with the new ones
        out.ifPresent(folder -> FolderChecks.requireWritable("--out", folder));
        StandaloneRun.RunResult result = StandaloneRunner.run(
                data,
                expressions -> inputs.read(WorkloadTreatment.EXPANDED, expressions, err),
                settings,
                err,
                Main.processEnd(spec));
        ManifestInputs.CompletedManifests read = result.input();
        if (read.listing().objects().isEmpty()) {
            err.println("claimstream run: " + noObject(read.workloads()));
            return ExitCodes.FAILED;
        }
        err.println(headline(read.listing(), result.brokerReady()));
        spec.commandLine().getOut().print(format.text(result.answers()));
        spec.commandLine().getOut().flush();
        if (out.isPresent()) {
            ClaimFiles.write(out.get(), result.answers());
        }
        printSummary(result, err);
        return read.hasErrors() ? ExitCodes.FAILED : exitCode(result);
    }

    private static String noObject(long workloads) {
        return workloads == 0
                ? "no object found: name files with Kubernetes objects"
                : "%s without pods, and no other object: set replicas or parallelism above 0, and suspend to false"
                        .formatted(SummaryText.of(workloads, "workload"));
    }

    private OutputFormat checkedFormat() {
        if (inputs.all().isEmpty()) {
            throw wrong("missing PATH: name files or directories with Kubernetes objects, or - for standard input");
        }
        return OutputFormat.of(output)
                .orElseThrow(
                        () -> wrong("--output %s is not known: use table, wide, name, yaml or json".formatted(output)));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private static String headline(ObjectListing listing, Duration brokerReady) {
        List<ResourceSlice> slices = listing.objects().stream()
                .filter(ResourceSlice.class::isInstance)
                .map(ResourceSlice.class::cast)
                .toList();
        return "broker ready %s · %s, %s of %s · %s"
                .formatted(
                        SummaryText.seconds(brokerReady),
                        SummaryText.of(count(listing, Kind.NODE), "node"),
                        SummaryText.of(
                                slices.stream()
                                        .mapToLong(slice -> slice.devices().size())
                                        .sum(),
                                "device"),
                        SummaryText.of(
                                slices.stream()
                                        .map(ResourceSlice::driver)
                                        .distinct()
                                        .count(),
                                "driver"),
                        SummaryText.of(count(listing, Kind.RESOURCE_CLAIM), "claim"));
    }

    private static long count(ObjectListing listing, Kind kind) {
        return listing.objects().stream()
                .filter(object -> object.kind() == kind)
                .count();
    }

    private void printSummary(StandaloneRun.RunResult result, PrintWriter err) {
        List<ClaimResult> answers = result.answers();
        err.println("%s · first decision after %s · claim to decision %s"
                .formatted(
                        SummaryText.of(answers),
                        SummaryText.seconds(result.firstDecision()),
                        SummaryText.latency(result.latenciesMs())));
        result.deallocationReasons().forEach(err::println);
        result.pendingExplanations()
                .forEach(explanation -> PendingPods.line(explanation, answers).ifPresent(err::println));
        result.schedulerClaims().forEach(err::println);
        answers.stream()
                .filter(answer -> answer.state() != ClaimResult.ResultState.ALLOCATED)
                .findFirst()
                .ifPresent(answer -> err.println("why: ./claimstream explain claim %s%s%s"
                        .formatted(answer.claim().key(), inputs.options(), policyOption() + gates.asOptions())));
    }

    private String policyOption() {
        return policy.equals(RunSettings.defaults().policy()) ? "" : " --policy " + policy;
    }

    private static int exitCode(StandaloneRun.RunResult result) {
        boolean areAllAllocated =
                result.answers().stream().allMatch(answer -> answer.state() == ClaimResult.ResultState.ALLOCATED);
        return areAllAllocated && result.pendingExplanations().isEmpty() ? ExitCodes.SUCCESS : ExitCodes.SOME_PENDING;
    }
}
