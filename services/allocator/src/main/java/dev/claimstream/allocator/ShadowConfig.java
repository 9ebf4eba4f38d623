package dev.claimstream.allocator;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import java.time.Duration;

/**
 * Settings of the shadow.
 *
 * @param enabled whether this process follows the log
 * @param every interval at which new records are read
 * @param policy placement policy that is tried on live traffic; empty for none
 */
@ConfigurationProperties("claimstream.shadow")
public record ShadowConfig(
        @Bindable(defaultValue = "false") boolean enabled,
        @Bindable(defaultValue = "1s") Duration every,
        @Bindable(defaultValue = "") String policy) {}
