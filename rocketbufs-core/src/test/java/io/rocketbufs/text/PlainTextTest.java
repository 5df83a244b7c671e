package io.rocketbufs.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PlainTextTest {
    @ParameterizedTest
    @ValueSource(
            ints = {0x00, 0x0a, 0x1b, 0x7f, 0x9b, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069
            })
    void shouldReplaceCharactersThatForgeATextAndKeepItsLength(int character) {
        assertThat(PlainText.of("a" + (char) character + "b")).isEqualTo("a\ufffdb");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "prices/eur", "<script>", "שלום/مرحبا", "👩\u200d🚀", "é\ufffd"})
    void shouldLeaveTextOfAllLanguages(String text) {
        assertThat(PlainText.of(text)).isSameAs(text);
    }

    @Test
    void shouldKeepATextWithinItsQuotation() {
        assertThat(PlainText.quoted("a\" at 10.0.0.1:7610\n")).isEqualTo("\"a' at 10.0.0.1:7610\ufffd\"");
    }

    @Test
    void shouldLeaveLineFeedsAndTabsOfTextsWithSeveralLines() {
        assertThat(PlainText.ofLines("a\n\tb\r\u202e")).isEqualTo("a\n\tb\ufffd\ufffd");
    }
}
