package dev.claimstream.allocator;

import dev.claimstream.audit.ArchiveRetention.RetentionLimits;
import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the archive.
 *
 * @param folder folder of the archive, or {@code s3://bucket/prefix}
 * @param enabled whether this process archives; empty for the processes that allocate
 * @param every interval at which new records are archived
 * @param keep age above which segments are deleted; zero for no limit
 * @param keepBytes size of all segments above which the oldest ones are deleted; 0 for no limit
 * @param states whether the states of the cells are archived
 */
@ConfigurationProperties("claimstream.archive")
public record ArchiveConfig(
        String folder,
        Optional<Boolean> enabled,
        @Bindable(defaultValue = "10m") Duration every,
        @Bindable(defaultValue = "0s") Duration keep,
        @Bindable(defaultValue = "0") long keepBytes,
        @Bindable(defaultValue = "true") boolean states) {
    /** The archive for people, without the parameters of an object store. */
    String location() {
        int parameters = folder.contains("://") ? folder.indexOf('?') : -1;
        return parameters < 0 ? folder : folder.substring(0, parameters);
    }

    RetentionLimits retention() {
        return new RetentionLimits(
                Optional.of(keep).filter(Duration::isPositive),
                Optional.of(keepBytes).filter(each -> each > 0));
    }
}
