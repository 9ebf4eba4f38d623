package dev.claimstream.cli;

import dev.claimstream.kubernetes.ObjectStore.Applied;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What an up says when it is ready.
 *
 * @param again how its folder is named in a command that is proposed
 * @param allClaims whether every claim is ours on a cluster
 */
record Greeting(
        PrintWriter out, PrintWriter err, DataFolder folder, String again, GateOptions gates, boolean allClaims) {
    /** Objects of the start, and how many more were not even tried. */
    record Objects(List<Applied> applied, long refused) {
        private String counts() {
            List<String> parts = new ArrayList<>();
            for (Applied.Outcome outcome : Applied.Outcome.values()) {
                long count = applied.stream()
                                .filter(each -> each.outcome() == outcome)
                                .count()
                        + (outcome == Applied.Outcome.REFUSED ? refused : 0);
                if (count > 0) {
                    parts.add(count + " " + outcome.text());
                }
            }
            return parts.isEmpty() ? "nothing: no object was found" : String.join(", ", parts);
        }
    }

    /** @param objects absent: none were asked for */
    void say(Up up, Optional<OwnControlPlane> own, Optional<Objects> objects) {
        objects.map(Objects::applied).orElse(List.of()).stream()
                .filter(each -> each.outcome() == Applied.Outcome.REFUSED)
                .forEach(each ->
                        err.println("%s %s refused: %s".formatted(each.kind().apiName(), each.key(), each.message())));
        out.println("claimstream is up");
        sayWhere(up);
        own.map(OwnControlPlane::text).ifPresent(out::println);
        objects.map(Objects::counts).ifPresent(counts -> out.println("  applied   " + counts));
        out.println();
        out.println("""
                From another terminal, for example:
                  ./claimstream get claims -A%1$s
                  %2$s
                  ./claimstream explain claim NAMESPACE/NAME%1$s
                Ctrl-C ends it; the next start goes on from here.""".formatted(again, trying(up, own.isPresent())));
        out.flush();
    }

    private void sayWhere(Up up) {
        out.print(Up.where(up.endpoint(), folder.path()));
        if (up.cluster() instanceof ServedCluster.Server server) {
            out.println(
                    "  cluster   %s (Kubernetes %s)".formatted(server.services().url(), server.version()));
            server.release().map(gates::text).ifPresent(text -> out.println("  gates     " + text));
        }
    }

    private String trying(Up up, boolean isOwn) {
        if (isOwn) {
            return String.join("\n  ", OwnControlPlane.trying(allClaims));
        }
        return up.cluster() instanceof ServedCluster.Server
                ? "kubectl apply -f FILE"
                : "./claimstream apply -f FILE" + again;
    }

    /** The same after a pause, to one who heard it before. */
    void sayAgain(Up up, Endpoint before) {
        out.println("claimstream is up again");
        if (!up.endpoint().equals(before)) {
            sayWhere(up);
        }
        out.flush();
    }
}
