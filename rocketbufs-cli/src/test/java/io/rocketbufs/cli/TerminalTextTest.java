package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class TerminalTextTest {
    @Test
    void shouldEscapeWhatATerminalDoesNotShowAsItIs() {
        assertThat(TerminalText.escape("\u001b[2J\r\n\u009b1m")).isEqualTo("\\u001b[2J\\u000d\\u000a\\u009b1m");
        assertThat(TerminalText.escape("\u202egnp.exe\u2066\u200f\u200b\u2028\ufeff"))
                .isEqualTo("\\u202egnp.exe\\u2066\\u200f\\u200b\\u2028\\ufeff");
        assertThat(TerminalText.escape("\ud800 \udb40\udc41")).isEqualTo("\\ud800 \\udb40\\udc41");
    }

    @Test
    void shouldLeaveVisibleTextOfAllLanguages() {
        String text = "<script>x</script> Zürich Привет 東京 שלום é😀";
        assertThat(TerminalText.escape(text)).isEqualTo(text);
    }

    @Test
    void shouldCountColumnsAndNotCharacters() {
        assertThat(TerminalText.width("東京")).isEqualTo(4);
        assertThat(TerminalText.width("e\u0301")).isEqualTo(1);
        assertThat(TerminalText.width("😀a")).isEqualTo(3);
        assertThat(TerminalText.pad("東京", 6)).isEqualTo("東京  ");
    }

    @Test
    void shouldCutToTheColumnsThatThereAre() {
        assertThat(TerminalText.cut("prices", 6)).isEqualTo("prices");
        assertThat(TerminalText.cut("prices/eur", 6)).isEqualTo("price…");
        assertThat(TerminalText.cut("東京駅", 4)).isEqualTo("東…");
        assertThat(TerminalText.cut("東京駅", 1)).isEqualTo("…");
        assertThat(TerminalText.cut("x".repeat(255), 0)).isEmpty();
    }
}
