"""Neo4j Browser, driven in a Chromium as an analyst uses it.

selenium is no dependency of this project: `make pictures` puts it into a folder of its own.
"""

import importlib
import importlib.util
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

_WAIT_S: Final = 60.0
_LOOK_AGAIN_S: Final = 0.2
_STANDS_STILL_S: Final = 1.0
_PLAYS: Final = 10
_CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")
_DRIVER: Final = ("chromedriver", "chromium.chromedriver")
_OPTIONS: Final = (
    "--headless=new",
    "--no-sandbox",
    "--window-size=1280,860",
    "--force-device-scale-factor=1",
)
_FRAME: Final = "[data-testid=frame]"
_COMMAND: Final = "[data-testid=frameCommand]"
_BOX: Final = "pre.runnable"
_COLLAPSE: Final = "[title='Collapse the node properties display']"
_PLACES: Final = (
    "return [...arguments[0].querySelectorAll('g.node')].map(n => n.getAttribute('transform'))"
)


def missing() -> str | None:
    """What is to be installed before a Browser can be driven; None when all is there."""
    if _program(_CHROMIUM) is None or _program(_DRIVER) is None:
        return (
            "Chromium and chromedriver are not both on the PATH: install them, on Debian with "
            "`apt-get install chromium chromium-driver`"
        )
    if importlib.util.find_spec("selenium") is None:
        return "the Python package selenium is missing: `make pictures` fetches it"
    return None


class Browser:
    """One window of Neo4j Browser; each method waits until what it did is to be seen."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def log_in(self, address: str, password: str) -> None:
        """Open the address that the service prints, and log in."""
        self._driver.get(address)
        self._act("[data-testid=password]", lambda field: field.send_keys(password))
        self._act("[data-testid=connect]", lambda button: button.click())
        self.frame(":play start")

    def play(self, address: str) -> None:
        """Open a guide from the editor; once more while the answer is "Not found"."""
        for _ in range(_PLAYS):
            self._enter(f":play {address}")
            frame = self.frame(f":play {address}")
            if self._until(lambda f=frame: _found(f), f"an answer of {address}") == "guide":
                return
            self._click(frame, "[title=Close]")
        raise AssertionError(f"Neo4j Browser does not find {address}")

    def turn_to(self, title: str) -> None:
        """Turn the guide to the slide of this title."""
        guide = self.frame(":play http")
        while title not in (shown := guide.text):
            self._click(guide, "[data-testid=nextSlide]")
            self._until(lambda s=shown: guide.text != s, "the next slide")

    def run_box(self, number: int) -> Any:
        """Click the arrow of a box of the slide, counted from 1: the frame that comes of it."""
        before = len(self._frames())
        box = self.frame(":play http").find_elements("css selector", _BOX)[number - 1]
        self._click(box, "i")
        self._until(lambda: len(self._frames()) > before, "a frame of the box")
        return self._frames()[0]

    def frame(self, command: str) -> Any:
        """The newest frame whose command starts so."""

        def found() -> Any:
            for frame in self._frames():
                titles = frame.find_elements("css selector", _COMMAND)
                if titles and titles[0].text.strip().startswith(command):
                    return frame
            return None

        return self._until(found, f"a frame of {command}")

    def drawn(self, frame: Any) -> tuple[int, int]:
        """How many nodes and relationships a picture has, once it stands still."""
        self._until(lambda: frame.find_elements("css selector", "g.node"), "a picture")
        places: list[str] = []

        def still() -> bool:
            before = places[:]
            places[:] = self._driver.execute_script(_PLACES, frame)
            return places == before

        self._until(still, "a picture that stands still", _STANDS_STILL_S)
        nodes = frame.find_elements("css selector", "g.node")
        return len(nodes), len(frame.find_elements("css selector", "g.relationship"))

    def captions(self, frame: Any) -> set[str]:
        """The captions of a picture's nodes, the lines of each put together."""
        return {
            " ".join(node.text.split()) for node in frame.find_elements("css selector", "g.node")
        }

    def enlarge(self, frame: Any) -> None:
        """Let a picture fill the window, without the panel of properties."""
        self._click(frame, "[title=Fullscreen]")
        # The Browser remembers from one picture to the next that the panel is away.
        if frame.find_elements("css selector", _COLLAPSE):
            self._click(frame, _COLLAPSE)
        self._click(frame, "[aria-label=zoom-to-fit]")
        self.drawn(frame)

    def shrink(self, frame: Any) -> None:
        """Give a frame its place in the stream back."""
        self._click(frame, "[title='Close fullscreen']")

    def photograph(self, path: Path) -> None:
        """Write what the window shows as PNG."""
        assert self._driver.save_screenshot(str(path)), path

    def _frames(self) -> list[Any]:
        return self._driver.find_elements("css selector", _FRAME)

    def _enter(self, command: str) -> None:
        keys = importlib.import_module("selenium.webdriver.common.keys").Keys
        self._act(".monaco-editor .view-lines", lambda editor: editor.click())
        self._driver.execute_cdp_cmd("Input.insertText", {"text": command})
        chain = importlib.import_module("selenium.webdriver").ActionChains(self._driver)
        chain.key_down(keys.CONTROL).send_keys(keys.ENTER).key_up(keys.CONTROL).perform()

    def _act(self, selector: str, action: Callable[[Any], None]) -> None:
        def acted() -> bool:
            for element in self._driver.find_elements("css selector", selector)[:1]:
                action(element)
                return True
            return False

        self._until(acted, selector)

    def _click(self, within: Any, selector: str) -> None:
        found = self._until(lambda: within.find_elements("css selector", selector), selector)
        # A real click would miss what the editor at the top of the window covers.
        self._driver.execute_script(
            "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", found[0]
        )

    def _until(self, condition: Callable[[], Any], what: str, pause: float = _LOOK_AGAIN_S) -> Any:
        # The Browser puts elements in the place of others, and banners before them.
        common = importlib.import_module("selenium.common")
        moved = (
            common.StaleElementReferenceException,
            common.ElementNotInteractableException,
            common.ElementClickInterceptedException,
        )
        waiting = importlib.import_module("selenium.webdriver.support.wait")
        wait = waiting.WebDriverWait(self._driver, _WAIT_S, pause, ignored_exceptions=moved)
        return wait.until(lambda _: condition(), f"{what}: not within {_WAIT_S:g} s")


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A Chromium of its own, without a window on the screen."""
    webdriver = importlib.import_module("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = _program(_CHROMIUM)
    for option in _OPTIONS:
        options.add_argument(option)
    service = webdriver.ChromeService(_program(_DRIVER))
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield Browser(driver)
    finally:
        driver.quit()


def _program(names: tuple[str, ...]) -> str | None:
    return next((found for name in names if (found := shutil.which(name))), None)


def _found(frame: Any) -> str | None:
    if frame.find_elements("css selector", _BOX):
        return "guide"
    return "nothing" if "Not found" in frame.text else None
