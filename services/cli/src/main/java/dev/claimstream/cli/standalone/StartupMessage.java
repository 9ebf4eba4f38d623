package dev.claimstream.cli.standalone;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.kubernetes.ObjectStore.ApplyResult;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Prints the messages of {@code claimstream up} when it is ready.
 *
 * @param folderOption option text of the data folder for suggested commands
 * @param allClaims whether all claims of the cluster are managed
 */
public record StartupMessage(
        PrintWriter out,
        PrintWriter err,
        DataFolder folder,
        String folderOption,
        GateOptions gates,
        boolean allClaims) {
    /** Results of the objects of {@code -f}, and the number of objects that were rejected before they were applied. */
    public record InitialObjects(List<ApplyResult> applied, long rejected) {
        private String counts() {
            List<String> parts = new ArrayList<>();
            for (ApplyResult.ApplyOutcome outcome : ApplyResult.ApplyOutcome.values()) {
                long count = applied.stream()
                                .filter(each -> each.outcome() == outcome)
                                .count()
                        + (outcome == ApplyResult.ApplyOutcome.REJECTED ? rejected : 0);
                if (count > 0) {
                    parts.add(count + " " + outcome.text());
                }
            }
            return parts.isEmpty() ? "nothing: no object was found" : String.join(", ", parts);
        }
    }

    /**
     * Prints endpoints, applied objects and example commands.
     *
     * @param objects empty if the command line has no {@code -f}
     */
    public void print(StandaloneProcess up, Optional<LocalControlPlane> own, Optional<InitialObjects> objects) {
        objects.map(InitialObjects::applied).orElse(List.of()).stream()
                .filter(each -> each.outcome() == ApplyResult.ApplyOutcome.REJECTED)
                .forEach(each ->
                        err.println("%s %s rejected: %s".formatted(each.kind().apiName(), each.key(), each.message())));
        out.println("claimstream is up");
        printEndpoints(up);
        own.map(each -> each.text(folder.path(), allClaims)).ifPresent(out::println);
        objects.map(InitialObjects::counts).ifPresent(counts -> out.println("  applied   " + counts));
        out.println();
        out.println("""
                From another terminal, for example:
                  ./claimstream get claims -A%1$s
                  %2$s
                  ./claimstream explain claim NAMESPACE/NAME%1$s
                Ctrl-C ends it; the next start continues from here.""".formatted(folderOption, exampleCommands(up, own.isPresent())));
        out.flush();
    }

    private void printEndpoints(StandaloneProcess up) {
        out.print(StandaloneProcess.endpointText(up.endpoint(), folder.path()));
        if (up.cluster() instanceof ServedCluster.Server server) {
            out.println(
                    "  cluster   %s (Kubernetes %s)".formatted(server.services().url(), server.version()));
            if (up.isObserving()) {
                out.println("  mode      observe-only: kube-scheduler allocates, nothing is written to the cluster");
            }
            server.release().map(gates::text).ifPresent(text -> out.println("  gates     " + text));
        }
    }

    private String exampleCommands(StandaloneProcess up, boolean isOwn) {
        if (isOwn) {
            return String.join("\n  ", LocalControlPlane.exampleCommands(allClaims));
        }
        if (up.isObserving()) {
            return "./claimstream differences" + folderOption;
        }
        return up.cluster() instanceof ServedCluster.Server
                ? "kubectl apply -f FILE"
                : "./claimstream apply -f FILE" + folderOption;
    }

    /** Prints a short message after a restart, with the endpoints only if they changed. */
    public void printAfterRestart(StandaloneProcess up, Endpoint before) {
        out.println("claimstream is up again");
        if (!up.endpoint().equals(before)) {
            printEndpoints(up);
        }
        out.flush();
    }
}
