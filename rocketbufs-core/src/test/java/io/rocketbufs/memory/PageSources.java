package io.rocketbufs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

/** The sources of memory for tests. */
final class PageSources {
    private PageSources() {}

    /** Returns the mmap source. Fails with the cause if mmap is not available on this machine. */
    static PageSource mapped() {
        PageSource source = PageSource.forThisMachine();
        assertThat(source.kind()).isEqualTo("mmap");
        return source;
    }

    static Stream<PageSource> both() {
        return Stream.of(mapped(), PageSource.direct("chosen by the test"));
    }

    /** Returns an mmap source that adds each slab to the list when the slab is reserved. */
    static PageSource recordedIn(List<RecordingPages> recorded) {
        PageSource mapped = mapped();
        return new PageSource("recorded", mapped.pageLength(), length -> {
            RecordingPages pages = new RecordingPages(mapped.reserve().apply(length));
            recorded.add(pages);
            return pages;
        });
    }
}
