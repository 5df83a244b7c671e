package io.rocketbufs.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JsonTest {
    @Test
    void shouldWriteOneLineInTheGivenOrder() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("b", 1L);
        map.put("a", Arrays.asList(1.5, null, true, "x"));
        map.put("c", Map.of("d", List.of()));
        assertThat(Json.of(map)).isEqualTo("{\"b\":1,\"a\":[1.5,null,true,\"x\"],\"c\":{\"d\":[]}}");
    }

    @Test
    void shouldEscapeCharactersThatAStringMustNotContain() {
        String text = "\"\\\n\r\t\u0001\u00e9";
        assertThat(Json.of(Map.of("t", text))).isEqualTo("{\"t\":\"\\\"\\\\\\n\\r\\t\\u0001\u00e9\"}");
        assertThat(Json.parse(Json.of(Map.of("t", text))).getString("t")).isEqualTo(text);
    }

    @Test
    void shouldWriteNumbersWithoutAnExponent() {
        assertThat(Json.of(List.of(12_345_678.25, 3.0, 0.0004, 1e12))).isEqualTo("[12345678.25,3,0,1000000000000]");
    }

    @Test
    void shouldWriteNullForNaNAndInfinity() {
        assertThat(Json.of(List.of(Double.NaN, Double.POSITIVE_INFINITY))).isEqualTo("[null,null]");
    }
}
