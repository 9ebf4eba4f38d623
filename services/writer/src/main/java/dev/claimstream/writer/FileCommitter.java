package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ConfigReference;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.write.ManifestWriter;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits decisions to a folder: one YAML file per allocated claim with its status, no file for other claims.
 *
 * <p>Rejects an allocation with references to parameters, because there is no cluster to read them from (ADR 88).
 */
@Singleton
@Requires(property = "claimstream.writer.folder")
final class FileCommitter implements DecisionCommitter {
    private static final Logger LOG = LoggerFactory.getLogger(FileCommitter.class);
    private static final ClaimSpec UNKNOWN = new ClaimSpec(List.of(), List.of(), List.of());

    private final Path folder;

    FileCommitter(@Value("${claimstream.writer.folder}") Path folder) {
        this.folder = folder;
    }

    @Override
    public CommitResult commit(Decision decision) {
        try {
            Files.createDirectories(folder);
            Path file = folder.resolve(
                    decision.claim().namespace() + "." + decision.claim().name() + ".yaml");
            if (decision.result() instanceof Decision.DecisionResult.Allocated allocated) {
                if (hasReference(allocated)) {
                    Files.deleteIfExists(file);
                    return CommitResult.rejected(
                            "claim %s has parameters of drivers that are not recorded, and a file would not have them: name the drivers in claimstream.watcher.recorded-parameters"
                                    .formatted(decision.claim()),
                            0);
                }
                Files.writeString(file, text(decision, allocated));
            } else {
                Files.deleteIfExists(file);
            }
            return CommitResult.COMMITTED;
        } catch (IOException e) {
            LOG.atError().addKeyValue("claim", decision.claim()).setCause(e).log("status not written");
            return CommitResult.failed(e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }

    private static boolean hasReference(Decision.DecisionResult.Allocated allocated) {
        return allocated.allocation().config().stream()
                .anyMatch(each -> ConfigReference.of(each.opaque()).isPresent());
    }

    private static String text(Decision decision, Decision.DecisionResult.Allocated allocated) {
        var meta = ObjectMeta.of(decision.claim().namespace(), decision.claim().name(), decision.claimUid());
        var claim = new ResourceClaim(meta, UNKNOWN, Optional.of(allocated.allocation()), allocated.reservedFor());
        return ManifestWriter.tree(claim).yaml();
    }
}
