package dev.claimstream.selectors.values;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.types.StructTypeReference;
import java.util.Optional;

/** The types that Kubernetes adds to CEL, with the names in its error messages. */
public final class KubernetesTypes {
    public static final OpaqueType QUANTITY = OpaqueType.create("kubernetes.Quantity");
    public static final OpaqueType VERSION = OpaqueType.create("kubernetes.Semver");
    public static final OpaqueType URL = OpaqueType.create("kubernetes.URL");
    public static final OpaqueType FORMAT = OpaqueType.create("kubernetes.NamedFormat");
    public static final OpaqueType ADDRESS = OpaqueType.create("net.IP");
    public static final OpaqueType NETWORK = OpaqueType.create("net.CIDR");

    /** The type of the variable {@code device}. */
    public static final CelType DEVICE = StructTypeReference.create("kubernetes.DRADevice");

    private KubernetesTypes() {}

    /**
     * Returns the type provider of an environment.
     *
     * @param attribute the type of attribute values: {@code dyn} is iterable, {@code any} is not
     * @param shared whether a device has the field {@code allowMultipleAllocations}
     */
    public static CelTypeProvider provider(CelType attribute, boolean shared) {
        StructType device = device(attribute, shared);
        ImmutableMap<String, CelType> types =
                ImmutableMap.of(device.name(), device, ADDRESS.name(), ADDRESS, NETWORK.name(), NETWORK);
        return new CelTypeProvider() {
            @Override
            public ImmutableCollection<CelType> types() {
                return types.values();
            }

            @Override
            public Optional<CelType> findType(String name) {
                return Optional.ofNullable(types.get(name));
            }
        };
    }

    private static StructType device(CelType attribute, boolean shared) {
        ImmutableMap.Builder<String, CelType> fields = ImmutableMap.builder();
        fields.put(DeviceValue.DRIVER, SimpleType.STRING);
        fields.put(DeviceValue.ATTRIBUTES, byDomain(attribute));
        fields.put(DeviceValue.CAPACITY, byDomain(QUANTITY));
        if (shared) {
            fields.put(DeviceValue.SHARED, SimpleType.BOOL);
        }
        ImmutableMap<String, CelType> all = fields.buildOrThrow();
        return StructType.create(DEVICE.name(), all.keySet(), name -> Optional.ofNullable(all.get(name)));
    }

    private static CelType byDomain(CelType value) {
        return MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, value));
    }
}
