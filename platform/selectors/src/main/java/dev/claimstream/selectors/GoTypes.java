package dev.claimstream.selectors;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.claimstream.selectors.functions.FormatValue;
import dev.claimstream.selectors.values.AddressValue;
import dev.claimstream.selectors.values.DeviceValue;
import dev.claimstream.selectors.values.NameMap;
import dev.claimstream.selectors.values.NetworkValue;
import dev.claimstream.selectors.values.QuantityValue;
import dev.claimstream.selectors.values.SemverValue;
import dev.claimstream.selectors.values.UrlValue;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** The Go type names of values, which upstream's errors about results contain. */
final class GoTypes {
    private GoTypes() {}

    static String of(Object value) {
        return switch (value) {
            case Boolean _ -> "bool";
            case Long _ -> "int64";
            case UnsignedLong _ -> "uint64";
            case Double _ -> "float64";
            case String _ -> "string";
            case CelByteString _ -> "[]uint8";
            case NullValue _ -> "structpb.NullValue";
            case Duration _ -> "time.Duration";
            case Instant _ -> "time.Time";
            case SemverValue _ -> "semver.Version";
            case QuantityValue _ -> "*resource.Quantity";
            case UrlValue _ -> "*url.URL";
            case AddressValue _ -> "netip.Addr";
            case NetworkValue _ -> "netip.Prefix";
            case FormatValue _ -> "cel.Format";
            case DeviceValue _ -> "map[string]interface {}";
            case NameMap _ -> "map[string]interface {}";
            case Map<?, ?> _ -> "map[ref.Val]ref.Val";
            case Collection<?> _ -> "[]ref.Val";
            case Optional<?> _ -> "<nil>";
            default -> value.getClass().getSimpleName();
        };
    }
}
