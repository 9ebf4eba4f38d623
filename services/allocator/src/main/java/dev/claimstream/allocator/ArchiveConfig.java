package dev.claimstream.allocator;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of the archive.
 *
 * @param folder folder of the archive
 * @param every interval at which new records are archived
 */
@ConfigurationProperties("claimstream.archive")
public record ArchiveConfig(
        Path folder, @Bindable(defaultValue = "10m") Duration every) {}
