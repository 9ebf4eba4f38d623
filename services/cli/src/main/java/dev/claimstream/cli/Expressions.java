package dev.claimstream.cli;

import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifest;
import java.util.List;

/** Finds expressions that do not compile, at their places. */
final class Expressions {
    private Expressions() {}

    static List<Finding> findings(List<Manifest> manifests) {
        return List.of();
    }
}
