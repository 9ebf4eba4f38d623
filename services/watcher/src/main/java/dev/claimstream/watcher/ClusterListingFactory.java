package dev.claimstream.watcher;

import dev.claimstream.dra.ObjectListing;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the listing of a cluster from manifest files, for a watcher without a cluster. */
@Factory
@Requires(property = "claimstream.watcher.files")
@Requires(property = "claimstream.watcher.enabled", notEquals = "false")
final class ClusterListingFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterListingFactory.class);

    @Singleton
    ObjectListing listing(@Value("${claimstream.watcher.files}") List<String> files) {
        ManifestReadResult reading = Manifests.read(files, ReadOptions.DEFAULT, System.in);
        reading.findings()
                .forEach(finding -> LOG.atWarn().addKeyValue("finding", finding).log("manifest rejected or doubtful"));
        return new ObjectListing(ClusterCompletion.complete(reading.manifests()).stream()
                .map(Manifest::object)
                .toList());
    }
}
