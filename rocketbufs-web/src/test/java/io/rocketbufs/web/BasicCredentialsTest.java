package io.rocketbufs.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BasicCredentialsTest {
    private static BasicCredentials presented(String both) {
        return BasicCredentials.presented("Basic " + Base64.getEncoder().encodeToString(both.getBytes(UTF_8)));
    }

    @Test
    void shouldReadUserAndPassword() {
        assertThat(presented("ops:secret")).isEqualTo(new BasicCredentials("ops", "secret"));
        assertThat(presented("ops:a:b")).isEqualTo(new BasicCredentials("ops", "a:b"));
        assertThat(presented(":secret")).isEqualTo(new BasicCredentials("", "secret"));
        assertThat(presented("J\u00f6rg:\u05e9")).isEqualTo(new BasicCredentials("J\u00f6rg", "\u05e9"));
        assertThat(BasicCredentials.presented("basic b3BzOnNlY3JldA==").user()).isEqualTo("ops");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Basic",
                "Basic ",
                "Bearer b3BzOnNlY3JldA==",
                "Basic %",
                "Basic b3Bz",
                "Basic b3BzOnNlY3JldA==x"
            })
    void shouldReadNothingFromAnotherOrMalformedHeader(String header) {
        assertThat(BasicCredentials.presented(header)).isNull();
    }

    @Test
    void shouldNotAcceptAnotherEncodingThanUtf8() {
        String latin = Base64.getEncoder().encodeToString("J\u00f6rg:secret".getBytes(ISO_8859_1));
        assertThat(BasicCredentials.presented("Basic " + latin)).isNull();
    }

    @Test
    void shouldNotContainThePasswordInItsDescription() {
        assertThat(new BasicCredentials("ops", "secret").toString())
                .contains("ops")
                .doesNotContain("secret");
    }
}
