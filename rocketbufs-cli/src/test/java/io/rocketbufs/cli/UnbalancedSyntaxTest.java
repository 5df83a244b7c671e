package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class UnbalancedSyntaxTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a { b = [1, {c = 2}] }",
                "a = \"{\" # {\n// [\nb = 1",
                "a = \"\\\"{\"",
                "a = \"\"\"{\n\"\"\"\nb {}",
                "a = \"\""
            })
    void shouldFindNothingInABalancedText(String text) {
        assertThat(UnbalancedSyntax.find(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "'a {|b {|c = 1|}', '1: this { is never closed: } is missing'",
        "'a = [|1', '1: this [ is never closed: ] is missing'",
        "'a = 1|}', '2: this } closes nothing'",
        "'a = [|1|}', '3: this } cannot close the [ on line 1'",
        "'a = 1|b = \"x|c = 2', '2: a quotation mark is missing'",
        "'|a = \"\"\"x|}', '2: this \"\"\" is never closed'",
        "'a = \"\"\"|x\"\"\" }', '2: this } closes nothing'",
        "'# {|a {', '2: this { is never closed: } is missing'"
    })
    void shouldNameTheLineOfWhatIsNotBalanced(String lines, String error) {
        assertThat(UnbalancedSyntax.find(lines.replace('|', '\n'))).isEqualTo(error);
    }
}
