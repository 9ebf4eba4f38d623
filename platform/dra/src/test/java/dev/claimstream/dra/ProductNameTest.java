package dev.claimstream.dra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ProductNameTest {
    @Test
    void prefersProductNameOverProfile() {
        assertThat(ProductName.of(Map.of(
                        "profile", new AttributeValue.StringValue("1g.10gb"),
                        "gpu.nvidia.com/productName", new AttributeValue.StringValue("NVIDIA H100"),
                        "model", new AttributeValue.IntValue(7))))
                .hasValue("NVIDIA H100");
    }

    @Test
    void isEmptyWithoutAttributeThatNamesProduct() {
        assertThat(ProductName.of(Map.of("uuid", new AttributeValue.StringValue("GPU-1"))))
                .isEmpty();
    }
}
